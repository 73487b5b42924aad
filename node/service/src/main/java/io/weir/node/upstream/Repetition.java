package io.weir.node.upstream;

import io.weir.core.policy.Destination;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Whether a request may be sent once more, as it stands now. Of one request. */
record Repetition(Course course, Delivery<?> delivery, RepeatSafety safety) {

  /** The last moment of an attempt that can be answered in time. */
  long lastMomentNanos() {
    long deadline = delivery.deadlineNanos();
    if (deadline == Long.MAX_VALUE) {
      return deadline;
    }
    Destination to = course.to();
    long attemptMillis = to.retry().attemptMillis();
    long longest = attemptMillis > 0 ? attemptMillis : to.settings().timeoutMillis();
    return deadline - TimeUnit.MILLISECONDS.toNanos(to.settings().connectTimeoutMillis() + longest);
  }

  /** Whether the request may be sent more than once at all. */
  boolean isPossible() {
    return delivery.isReplayable(course.to().retry().maxBodyBytes()) && safety.isSafe(course.to());
  }

  /** The reason why the request is not sent again after an attempt; empty if it may be. */
  Optional<NotRetried> obstacle(AttemptOutcome outcome) {
    if (delivery.isBegun()) {
      return Optional.of(NotRetried.BEGUN);
    }
    if (!outcome.isUnsent() && !safety.isSafe(course.to())) {
      return Optional.of(NotRetried.UNSAFE);
    }
    if (!delivery.isReplayable(course.to().retry().maxBodyBytes())) {
      return Optional.of(NotRetried.BODY);
    }
    if (System.nanoTime() >= lastMomentNanos()) {
      return Optional.of(NotRetried.TIME);
    }
    return delivery.isGone() ? Optional.of(NotRetried.CANCELLED) : Optional.empty();
  }
}
