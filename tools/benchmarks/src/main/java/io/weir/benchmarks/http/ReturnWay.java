package io.weir.benchmarks.http;

import java.util.random.RandomGenerator;

/** The ways in which denied callers return. */
enum ReturnWay {
  AS_TOLD,
  FIXED_1_S,
  FIXED_2_5_S,
  EXPONENTIAL,
  NEVER;

  private static final long FIRST_MILLIS = 100;
  private static final long LONGEST_MILLIS = 10_000;
  private static final int MOST_DOUBLED = 10;

  /** The time until the next attempt after so many, in milliseconds; below 0 if there is none. */
  long afterMillis(RandomGenerator random, int attempts, long toldMillis) {
    return switch (this) {
      case AS_TOLD -> toldMillis;
      case FIXED_1_S -> 1000;
      case FIXED_2_5_S -> 2500;
      case EXPONENTIAL ->
        (long) (Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(attempts - 1, MOST_DOUBLED))
            * random.nextDouble(0.5, 1.5));
      case NEVER -> -1;
    };
  }
}
