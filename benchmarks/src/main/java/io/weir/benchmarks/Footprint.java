package io.weir.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** What Redis needs for a subject, all overhead in: tables, keys, times to live. */
final class Footprint {
  private static final int TOGETHER = 1000;

  private Footprint() {}

  /** Prepares so many subjects, asks once for each, and divides what Redis took for it. */
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
