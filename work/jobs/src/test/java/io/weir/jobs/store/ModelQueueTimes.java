package io.weir.jobs.store;

import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;

/** The clock of a queue, the rate of its jobs, and the medians that it has seen. Mutable; owned by its queue. */
final class ModelQueueTimes {
  private static final long SECOND = 1_000_000;
  private static final long LONG_STEP = 10 * SECOND;
  private static final int STEPS_OF_MEDIAN = 20;

  long check;
  long processing;
  private long seen;
  private long ahead;
  private long next;
  private long interval;
  private long told;
  private long toldInterval;

  /** The time between two jobs that are sent, rounded up. */
  static long interval(JobRule rule) {
    long perSecond = rule.value(JobParameter.DISPATCH_PER_SECOND);
    return (SECOND + perSecond - 1) / perSecond;
  }

  /**
   * The time of the queue, which never goes back: after a step back of the clock it goes on from the last time seen, and
   * when the clock is set right again, by more than ten seconds, it does not jump with it.
   */
  long now(long live) {
    return live + aheadAt(live);
  }

  private long aheadAt(long live) {
    long step = seen > 0 ? live + ahead - seen : 0;
    if (step < 0) {
      return ahead - step;
    }
    return step > LONG_STEP ? Math.max(0, ahead - step) : ahead;
  }

  long see(long live) {
    ahead = aheadAt(live);
    seen = live + ahead;
    return seen;
  }

  /** One interval of the present rate after the last job, whatever the rate was then. */
  long nextTurn(JobRule rule) {
    return interval > 0 ? next - interval + interval(rule) : next;
  }

  void sent(JobRule rule, long nextTurn) {
    next = nextTurn;
    interval = interval(rule);
  }

  /** The wait of a caller that finds the queue full: each hears of another moment. */
  long nextMoment(JobRule rule, long now) {
    long step = interval(rule);
    long soonest = Math.max(now, nextTurn(rule)) + step;
    long moment = Math.max(soonest, told + step);
    boolean isFar = moment - now > rule.micros(JobParameter.MAX_WAIT);
    told = isFar || toldInterval != step ? soonest : moment;
    toldInterval = step;
    return told - now;
  }

  void learn(JobState before, JobState after, long took) {
    if (before == JobState.CHECKING && after == JobState.READY) {
      check = moved(check, took);
    } else if (before == JobState.IN_FLIGHT
        && (after == JobState.COMPLETED || after == JobState.RECEIPT_RECEIVED)) {
      processing = moved(processing, took);
    }
  }

  // The median moves by a twentieth, not beyond the value.
  private static long moved(long median, long value) {
    long step = (median + STEPS_OF_MEDIAN - 1) / STEPS_OF_MEDIAN;
    if (median == 0) {
      return value;
    }
    return value > median ? Math.min(value, median + step) : Math.max(value, median - step);
  }
}
