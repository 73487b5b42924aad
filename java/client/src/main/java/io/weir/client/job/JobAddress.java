package io.weir.client.job;

import io.weir.client.retry.Origin;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Reads the address of an accepted job. */
final class JobAddress {
  private JobAddress() {}

  /**
   * Resolves the place in a {@code Location}. A place of another origin is refused: a server must not be able to make
   * this program send requests, including {@code DELETE}, to any server that this program can reach.
   *
   * @param answered the address that accepted the job
   * @throws IOException if it cannot be understood, or has another origin
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
