package io.weir.jobs.work;

import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/** How long a run of a job waits, in milliseconds. */
final class JobWaits {
  private static final long FIRST = 200;
  private static final long LONGEST = 10_000;
  private static final long USUAL_TURN = 1000;
  private static final int MAX_DOUBLINGS = 6;
  private static final long LEAST_CHECKING = 2000;
  private static final int CHECKING_TIMES = 4;

  private JobWaits() {}

  /** For a turn at a provider. */
  static long forTurn(OptionalLong named) {
    return Math.min(LONGEST, named.orElse(USUAL_TURN));
  }

  /** Until a job is sent again: doubled with each attempt, with jitter; at least what the upstream has named. */
  static long again(int attempts, long named) {
    long doubled = FIRST << Math.min(MAX_DOUBLINGS, attempts - 1);
    long wait = ThreadLocalRandom.current().nextLong(doubled / 2, doubled + 1);
    return Math.min(LONGEST, Math.max(wait, named));
  }

  /** The longest time for which a job keeps its place among those that are checked. */
  static long mostOfChecking(JobRule rule) {
    return Math.max(LEAST_CHECKING, CHECKING_TIMES * rule.value(JobParameter.READINESS_TIME));
  }
}
