package io.weir.jobs.rule;

import io.weir.core.bucket.LeakyBucket;

/**
 * Estimates when a job will be done: the wait before each stage that it has not reached, plus the usual time of those
 * stages. Integers, in milliseconds, rounded up. The formulas are those of the fhevm relayer's document on dynamic
 * retry-after.
 */
public final class Eta {
  private static final long MILLIS = 1000;

  private Eta() {}

  /**
   * Returns the time left.
   *
   * @param ahead the jobs before it, if it waits
   * @param sinceMillis the time since it entered its state
   */
  public static long rawMillis(
      JobRule rule, JobQueue queue, JobState state, long ahead, long sinceMillis) {
    return switch (state) {
      case QUEUED ->
        rule.isDual()
            ? checkWait(rule, queue, ahead)
                + dispatchWait(rule, queue.dispatch())
                + sent(rule, queue)
            : dispatchWait(rule, ahead) + sent(rule, queue);
      case CHECKING ->
        checkTime(rule, queue) + dispatchWait(rule, queue.dispatch()) + sent(rule, queue);
      case READY -> dispatchWait(rule, ahead) + sent(rule, queue);
      case IN_FLIGHT -> processing(rule, queue);
      case RECEIPT_RECEIVED -> rule.receiptWaitMillis(sinceMillis);
      case COMPLETED, TIMED_OUT, FAILED, CANCELLED -> 0;
    };
  }

  /** The reported time in seconds, within its bounds: with the margin, except for a stage of unforeseeable length. */
  public static long shownSeconds(JobRule rule, JobState state, long rawMillis) {
    if (state.isEnd()) {
      return 0;
    }
    long margin = state == JobState.RECEIPT_RECEIVED ? 0 : rule.value(JobParameter.MARGIN);
    return clampedSeconds(rule, LeakyBucket.ceilDiv(rawMillis * (MILLIS + margin), MILLIS));
  }

  /** Rounds a time up to whole seconds, within the bounds of reported times. */
  public static long clampedSeconds(JobRule rule, long millis) {
    long min = LeakyBucket.ceilDiv(rule.value(JobParameter.MIN_WAIT), MILLIS);
    long max = rule.value(JobParameter.MAX_WAIT) / MILLIS;
    return Math.max(min, Math.min(max, LeakyBucket.ceilDiv(millis, MILLIS)));
  }

  /** Limits a time to the bounds of reported times. */
  public static long clampedMillis(JobRule rule, long millis) {
    return Math.max(
        rule.value(JobParameter.MIN_WAIT), Math.min(rule.value(JobParameter.MAX_WAIT), millis));
  }

  private static long checkWait(JobRule rule, JobQueue queue, long ahead) {
    long concurrency = rule.value(JobParameter.READINESS_CONCURRENCY);
    return rule.waits().batches()
        ? LeakyBucket.ceilDiv(ahead, concurrency) * checkTime(rule, queue)
        : LeakyBucket.ceilDiv(ahead * MILLIS, concurrency);
  }

  private static long dispatchWait(JobRule rule, long ahead) {
    return LeakyBucket.ceilDiv(ahead * MILLIS, rule.value(JobParameter.DISPATCH_PER_SECOND));
  }

  private static long sent(JobRule rule, JobQueue queue) {
    return processing(rule, queue) + rule.value(JobParameter.DISPATCH_TIME);
  }

  private static long checkTime(JobRule rule, JobQueue queue) {
    return seenOr(rule, queue.checkMicros(), JobParameter.READINESS_TIME);
  }

  private static long processing(JobRule rule, JobQueue queue) {
    return seenOr(rule, queue.processingMicros(), JobParameter.PROCESSING_TIME);
  }

  private static long seenOr(JobRule rule, long seenMicros, JobParameter nominal) {
    return rule.waits().isLearned() && seenMicros > 0
        ? LeakyBucket.ceilDiv(seenMicros, MILLIS)
        : rule.value(nominal);
  }
}
