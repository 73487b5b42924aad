package io.weir.client.job;

import io.weir.client.retry.RetryAfterHeaders;
import io.weir.client.retry.Timekeeper;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/**
 * The wait before the next poll for a job's result: as the answer says, or a second; never less than a tenth of a
 * second, so that no answer makes a client poll without a pause. A wait that the server did not give is spread.
 *
 * @param random gives numbers from 0 to below 1
 */
record JobWaits(Timekeeper time, DoubleSupplier random) {
  private static final long USUAL_MILLIS = 1000;
  private static final long LEAST_MILLIS = 100;
  /** The spread of the client's own waits; the least wait is spread by its whole length. */
  private static final double USUAL_SPREAD = 0.2;

  /** The wait after an answer. */
  Duration after(HttpResponse<?> answer) {
    OptionalLong named =
        RetryAfterHeaders.millis(answer.statusCode(), answer.headers()::allValues, time.now());
    if (named.isPresent() && named.getAsLong() >= LEAST_MILLIS) {
      return Duration.ofMillis(named.getAsLong());
    }
    return named.isPresent() || namesZero(answer) ? spread(LEAST_MILLIS, 1) : afterFailure();
  }

  private static boolean namesZero(HttpResponse<?> answer) {
    return Stream.of("Retry-After", "Retry-After-Ms")
        .flatMap(name -> answer.headers().allValues(name).stream())
        .anyMatch(value -> value.strip().equals("0"));
  }

  /** The wait after a poll without an answer. */
  Duration afterFailure() {
    return spread(USUAL_MILLIS, USUAL_SPREAD);
  }

  private Duration spread(long millis, double share) {
    return Duration.ofNanos((long) (millis * 1e6 * (1 + share * random.getAsDouble())));
  }
}
