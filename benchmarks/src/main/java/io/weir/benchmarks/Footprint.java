package io.weir.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The memory of Redis per subject, including all overhead: tables, keys, times to live. */
final class Footprint {
  private static final int TOGETHER = 1000;

  private Footprint() {}

  /** Prepares the subjects, asks once for each, and divides the memory that Redis allocated for them. */
  static double bytesPerSubject(Contender contender, int subjects, RedisProbe redis) {
    redis.clear();
    long before = redis.usedMemory();
    for (int first = 0; first < subjects; first += TOGETHER) {
      CompletableFuture<?>[] some = IntStream.range(first, Math.min(subjects, first + TOGETHER))
          .mapToObj(subject -> contender
              .prepare(subject)
              .thenCompose(prepared -> contender.ask(subject))
              .toCompletableFuture())
          .toArray(CompletableFuture[]::new);
      CompletableFuture.allOf(some).join();
    }
    return (double) (redis.usedMemory() - before) / subjects;
  }
}
