package io.weir.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.weir.adapters.bucket4j.WeirProxyManager;
import io.weir.adapters.resilience4j.WeirRateLimiter;
import io.weir.core.decision.Decision.Allowed;
import io.weir.library.Weir;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The pages on how to move: what was, and what is in its place, allow as much at first. */
@Execution(ExecutionMode.SAME_THREAD)
final class MovesIT {
  private static final Path PAGES = Path.of("../../docs/how-to/move");
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  private static Weir byPolicyOf(String page) throws IOException {
    Matcher policy = YAML.matcher(Files.readString(PAGES.resolve(page)));
    assertThat(policy.find()).isTrue();
    return Weir.inMemory(policy.group(1));
  }

  /** Calls until the first one that is not allowed: at 10 a second, a slow machine is allowed more of them. */
  private static void requireBurst(int least, int most, BooleanSupplier call) {
    long began = System.nanoTime();
    int allowed = 0;
    while (allowed < 1000 && call.getAsBoolean()) {
      allowed++;
    }
    double refilled = 10 * (System.nanoTime() - began) / 1e9;
    assertThat((double) allowed).isBetween((double) least, most + refilled);
  }

  @Test
  void fromBucket4j() throws IOException {
    BucketConfiguration configuration = BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(20).refillGreedy(10, Duration.ofSeconds(1)))
        .build();
    try (RedisDatabase database = RedisDatabase.open();
        RedisConnections redis = RedisConnections.open(database.uri(), Duration.ofMinutes(1));
        Weir weir = byPolicyOf("bucket4j.md")) {
      ProxyManager<String> buckets = WeirProxyManager.builder(redis).build();
      Bucket bucket = buckets.builder().build("app", () -> configuration);
      bucket.tryConsume(1);
      requireBurst(19, 25, () -> bucket.tryConsume(1));
      weir.blocking().tryAcquire("app", "Ask");
      requireBurst(19, 25, () -> weir.blocking().tryAcquire("app", "Ask") instanceof Allowed);
    }
  }

  @Test
  void fromRedisson() throws IOException {
    try (RedisDatabase database = RedisDatabase.open();
        Weir weir = byPolicyOf("redisson.md")) {
      RedissonClient redisson = redisson(database.uri());
      try {
        RRateLimiter limiter = redisson.getRateLimiter("app");
        limiter.trySetRate(RateType.OVERALL, 10, Duration.ofSeconds(1));
        limiter.tryAcquire(1);
        requireBurst(9, 25, () -> limiter.tryAcquire(1));
      } finally {
        redisson.shutdown();
      }
      weir.blocking().tryAcquire("app", "Ask");
      requireBurst(9, 15, () -> weir.blocking().tryAcquire("app", "Ask") instanceof Allowed);
    }
  }

  private static RedissonClient redisson(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    return Redisson.create(config);
  }

  @Test
  void fromSpringCloudGateway() throws IOException {
    try (Weir weir = byPolicyOf("spring-cloud-gateway.md")) {
      requireBurst(20, 25, () -> weir.blocking().tryAcquire("app", "Ask") instanceof Allowed);
    }
  }

  @Test
  void fromResilience4j() throws IOException {
    RateLimiterConfig config = RateLimiterConfig.custom()
        .limitForPeriod(10)
        .limitRefreshPeriod(Duration.ofSeconds(1))
        .timeoutDuration(Duration.ofMillis(500))
        .build();
    RateLimiter before = RateLimiter.of("Ask", config);
    before.changeTimeoutDuration(Duration.ZERO);
    requireBurst(10, 20, before::acquirePermission);
    try (Weir weir = byPolicyOf("resilience4j.md")) {
      RateLimiter after = WeirRateLimiter.of(weir, "app", "Ask", Duration.ofMillis(500));
      after.changeTimeoutDuration(Duration.ZERO);
      requireBurst(10, 15, after::acquirePermission);
    }
  }
}
