package io.weir.benchmarks;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
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

  /** The same of the contenders that are wanted, by name; prints each, and clears Redis. */
  static Map<String, Map<String, Double>> measure(
      Contenders contenders,
      Predicate<String> isWanted,
      int subjects,
      RedisProbe probe,
      PrintWriter out) {
    Map<String, Map<String, Double>> results = new LinkedHashMap<>();
    for (String name : List.of("Spring Cloud Gateway", "Bucket4j", "Weir 1", "Weir 3", "Weir 8")) {
      if (isWanted.test(name)) {
        try (Contender contender = contenders.admitting(name)) {
          double bytes = bytesPerSubject(contender, subjects, probe);
          out.printf("memory: %s %,.0f bytes for each of %,d subjects%n", name, bytes, subjects);
          out.flush();
          results.put(name, Map.of("bytes", bytes, "subjects", (double) subjects));
        }
      }
    }
    probe.clear();
    return results;
  }
}
