package io.weir.benchmarks;

import io.github.bucket4j.BandwidthBuilder;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.weir.core.decision.Decision.Denied;
import io.weir.library.AcquireRequest;
import io.weir.library.Weir;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * A thousand callers of one key come at once to a limit of 100 a second, and each comes again when it is told to, or
 * after a second if nothing tells it.
 */
public final class HerdBench {
  private static final int CALLERS = 1000;
  private static final int PER_SECOND = 100;
  private static final Duration UNTOLD = Duration.ofSeconds(1);
  private static final long ENDS_WITHIN_SECONDS = 120;
  private static final String POLICY = """
      buckets:
        - { name: exact, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Exact] }] }
        - { name: leased, leased: true, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Leased] }] }
      subjects: [{ match: "*", tenant: acme }]
      """;

  private final String redisUri;
  private final PrintWriter out;

  /** @param redisUri of a Redis that is cleared */
  public HerdBench(String redisUri, PrintWriter out) {
    this.redisUri = redisUri;
    this.out = out;
  }

  /**
   * How a herd has passed.
   *
   * @param attemptsEach the questions of a caller, on average
   * @param lastSeconds when the last caller had passed; 9 at best
   */
  public record Herd(String contender, double attemptsEach, double lastSeconds) {}

  /** One caller: its questions, and how long it waits after each; empty once it has passed. */
  @FunctionalInterface
  private interface Caller {
    CompletionStage<Optional<Duration>> ask();
  }

  /** Measures each contender in turn. */
  public List<Herd> measure() {
    List<Herd> herds = new ArrayList<>();
    embedded(herds, "Weir embedded", "Exact");
    embedded(herds, "Weir embedded, leased", "Leased");
    bucket4j(herds);
    redisson(herds);
    tokenBucket(herds);
    return herds;
  }

  private void embedded(List<Herd> herds, String name, String operation) {
    try (Weir weir = EmbeddedContender.open(redisUri, POLICY)) {
      run(herds, name, () -> {
        AcquireRequest[] next = {AcquireRequest.of("herd", operation)};
        return () -> weir.tryAcquire(next[0]).thenApply(decision -> {
          if (!(decision instanceof Denied denied)) {
            return Optional.empty();
          }
          next[0] = denied.ticket().map(next[0]::ticket).orElse(next[0]);
          return Optional.of(denied.retryAfter());
        });
      });
    }
  }

  private void bucket4j(List<Herd> herds) {
    RedisClient client = RedisClient.create(redisUri);
    try (StatefulRedisConnection<String, byte[]> connection =
        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))) {
      BucketConfiguration configuration = BucketConfiguration.builder()
          .addLimit(BandwidthBuilder.builder()
              .capacity(PER_SECOND)
              .refillGreedy(PER_SECOND, Duration.ofSeconds(1))
              .build())
          .build();
      AsyncBucketProxy bucket = Bucket4jLettuce.casBasedBuilder(connection)
          .build()
          .asAsync()
          .builder()
          .build("herd:bucket4j", () -> CompletableFuture.completedFuture(configuration));
      run(
          herds,
          "Bucket4j",
          () -> () -> bucket
              .tryConsumeAndReturnRemaining(1)
              .thenApply(probe -> probe.isConsumed()
                  ? Optional.empty()
                  : Optional.of(Duration.ofNanos(probe.getNanosToWaitForRefill()))));
    } finally {
      client.shutdown();
    }
  }

  private void redisson(List<Herd> herds) {
    Config config = new Config();
    config.useSingleServer().setAddress(redisUri);
    RedissonClient client = Redisson.create(config);
    try {
      RRateLimiter limiter = client.getRateLimiter("herd:redisson");
      limiter.trySetRate(RateType.OVERALL, PER_SECOND, Duration.ofSeconds(1));
      run(herds, "Redisson", () -> () -> limiter.tryAcquireAsync(1).thenApply(HerdBench::untold));
    } finally {
      client.shutdown();
    }
  }

  private void tokenBucket(List<Herd> herds) {
    RedisClient client = RedisClient.create(redisUri);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      String sha = connection.sync().scriptLoad(Contenders.script("token_bucket.lua"));
      String[] keys = {"{herd}.tokens", "{herd}.timestamp"};
      String rate = Integer.toString(PER_SECOND);
      run(
          herds,
          "Spring Cloud Gateway's script",
          () -> () -> connection
              .async()
              .<List<Long>>evalsha(sha, ScriptOutputType.MULTI, keys, rate, rate, "1")
              .thenApply(reply -> untold(reply.get(0) == 1)));
    } finally {
      client.shutdown();
    }
  }

  private static Optional<Duration> untold(boolean hasPassed) {
    return hasPassed ? Optional.empty() : Optional.of(UNTOLD);
  }

  private void run(List<Herd> herds, String name, Supplier<Caller> callers) {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      AtomicLong attempts = new AtomicLong();
      long began = System.nanoTime();
      List<CompletableFuture<Void>> passed = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        CompletableFuture<Void> passes = new CompletableFuture<>();
        passed.add(passes);
        come(callers.get(), attempts, timer, passes);
      }
      CompletableFuture.allOf(passed.toArray(CompletableFuture[]::new))
          .orTimeout(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS)
          .join();
      double seconds = (System.nanoTime() - began) / 1e9;
      Herd herd = new Herd(name, attempts.get() / (double) CALLERS, seconds);
      herds.add(herd);
      out.printf(
          "herd of %,d: %s: %.2f attempts each, the last after %.1f s%n",
          CALLERS, name, herd.attemptsEach(), herd.lastSeconds());
      out.flush();
    } finally {
      timer.shutdownNow();
    }
  }

  private static void come(
      Caller caller,
      AtomicLong attempts,
      ScheduledExecutorService timer,
      CompletableFuture<Void> passes) {
    attempts.incrementAndGet();
    CompletionStage<Optional<Duration>> unusedAnswer = caller.ask().whenComplete((waits, error) -> {
      if (error != null) {
        passes.completeExceptionally(error);
      } else if (waits.isEmpty()) {
        passes.complete(null);
      } else {
        var unusedTimer = timer.schedule(
            () -> come(caller, attempts, timer, passes),
            waits.get().toNanos(),
            TimeUnit.NANOSECONDS);
      }
    });
  }
}
