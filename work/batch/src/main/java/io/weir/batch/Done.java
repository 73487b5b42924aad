package io.weir.batch;

import io.vertx.core.MultiMap;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.intake.UnpaidWork;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The outcome of an item.
 *
 * @param status of the whole batch if it ends with this item
 * @param headers of the whole batch, likewise
 * @param isAdmitted whether limits were checked and had room for it
 */
record Done(Result result, int status, MultiMap headers, boolean isAdmitted) {
  /** A final result. */
  static Done of(Result result) {
    return new Done(result, 200, MultiMap.caseInsensitiveMultiMap(), false);
  }

  /** Not executed; the item may be sent again after the wait. */
  static Done unavailable(String reason, Duration wait) {
    MultiMap headers = waits(wait).add("Proxy-Status", ProblemDetails.proxyStatus(503, reason));
    return new Done(Result.of("failed", reason), 503, headers, false);
  }

  /** Not executed: too much has been read for this key that no limit pays for. */
  static Done tooMuchWork(Duration wait) {
    return new Done(Result.of("failed", UnpaidWork.CODE), 429, waits(wait), false);
  }

  private static MultiMap waits(Duration wait) {
    long millis = Math.max(1, wait.toMillis());
    return MultiMap.caseInsensitiveMultiMap()
        .add("Retry-After", Long.toString(TimeUnit.MILLISECONDS.toSeconds(millis + 999)))
        .add("Retry-After-Ms", Long.toString(millis));
  }
}
