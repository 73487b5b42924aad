package io.weir.benchmarks;

import io.weir.core.decision.Decision.Allowed;
import io.weir.library.Weir;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The library in this process: with a bucket of each key in Redis, or with one of the cluster that is leased. */
final class EmbeddedContender implements Contender {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String POLICY = """
      buckets:
        - { name: exact, burstPeriod: 9000000, throttleGroups: [{ opsPerSec: 1, operations: [Exact] }] }
        - { name: leased, scope: cluster, leased: true, burstPeriod: 1000,
            throttleGroups: [{ opsPerSec: 50000000, operations: [Leased] }] }
      subjects: [{ match: "*", tenant: acme }]
      """;

  private final boolean isLeased;
  private final Weir weir;

  EmbeddedContender(String redisUri, boolean isLeased) {
    this.isLeased = isLeased;
    this.weir = open(redisUri, POLICY);
  }

  /** The library with a policy, on a Redis that has none. */
  static Weir open(String redisUri, String text) {
    try {
      Path policy = Files.createTempFile("weir-bench", ".yaml");
      try {
        Files.writeString(policy, text);
        return Weir.builder(redisUri)
            .policy(policy)
            .redisTimeout(TIMEOUT)
            .executor(Runnable::run)
            .open();
      } finally {
        Files.delete(policy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String name() {
    return isLeased ? "Weir embedded, leased" : "Weir embedded";
  }

  @Override
  public CompletionStage<Boolean> ask(int subject) {
    return weir.tryAcquire("k" + subject, isLeased ? "Leased" : "Exact")
        .thenApply(Allowed.class::isInstance);
  }

  @Override
  public void close() {
    weir.close();
  }
}
