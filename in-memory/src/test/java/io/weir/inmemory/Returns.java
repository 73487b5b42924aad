package io.weir.inmemory;

import static io.weir.inmemory.Crowd.SECOND;

import io.weir.inmemory.Crowd.Return;
import java.util.random.RandomGenerator;

/** The ways in which denied callers return, whatever they were told. */
enum Returns implements Return {
  TO_THE_MILLISECOND,
  WHOLE_SECONDS,
  WITH_JITTER,
  FIXED_1_S,
  FIXED_2_5_S,
  RANDOM_UP_TO_5_S,
  EXPONENTIAL;

  private static final long NETWORK = 15_000;

  @Override
  public long after(RandomGenerator random, int attempt, long wait) {
    return switch (this) {
      case TO_THE_MILLISECOND -> (wait + 999) / 1000 * 1000 + random.nextLong(NETWORK);
      case WHOLE_SECONDS -> Crowd.inSeconds(wait) + random.nextLong(NETWORK);
      case WITH_JITTER -> (long) (Crowd.inSeconds(wait) * (1 + 0.1 * random.nextDouble()));
      case FIXED_1_S -> SECOND + random.nextLong(NETWORK);
      case FIXED_2_5_S -> 5 * SECOND / 2 + random.nextLong(NETWORK);
      case RANDOM_UP_TO_5_S -> random.nextLong(5 * SECOND);
      case EXPONENTIAL -> {
        double seconds = Math.min(10, 0.1 * Math.pow(2, attempt - 1));
        yield (long) (seconds * SECOND * (0.5 + random.nextDouble()));
      }
    };
  }
}
