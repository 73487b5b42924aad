package io.weir.client.job;

import io.weir.client.retry.Origin;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Reads where an accepted job is looked at. */
final class JobPlace {
  private JobPlace() {}

  /**
   * The place that a {@code Location} names. A place of another origin is refused: whoever answers must not be able to
   * make this program send requests, a {@code DELETE} among them, to any server that this program can reach.
   *
   * @param answered the address that accepted the job
   * @throws IOException where it cannot be understood, or is of another origin
   */
  static URI of(URI answered, String location) throws IOException {
    Origin expected = Origin.of(answered);
    try {
      URI place = answered.resolve(location);
      if (Origin.of(place).equals(expected)) {
        return place;
      }
    } catch (IllegalArgumentException e) {
      throw refused(location, expected, e);
    }
    throw refused(location, expected, null);
  }

  private static IOException refused(
      String location, Origin expected, @Nullable IllegalArgumentException cause) {
    return new IOException(
        "Location: %s (expected: a place of %s)".formatted(location, expected), cause);
  }
}
