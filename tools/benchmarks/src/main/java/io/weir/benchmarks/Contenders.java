package io.weir.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteAsyncBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/**
 * Weir, its peers, and the floors below them. Every limit is far above the load, and drains so slowly that no key
 * expires between two visits: an expired key would make the result too good.
 */
final class Contenders {
  /** The contenders needed for the main ratios. */
  static final List<String> QUICK = List.of(
      "PING",
      "Spring Cloud Gateway",
      "Bucket4j",
      "Bucket4j, batching",
      "Redisson",
      "Weir 1",
      "Weir 3",
      "Weir 8",
      "Weir embedded",
      "Weir embedded, leased");

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  /** The operations that a bucket holds, and the seconds that it takes to drain: one operation a second. */
  static final long CAPACITY = 9_000_000;

  private final String redisUri;

  Contenders(String redisUri) {
    this.redisUri = redisUri;
  }

  /** All contenders that admit, by name, each made on demand. */
  Map<String, Supplier<Contender>> admitting() {
    Map<String, Supplier<Contender>> all = new LinkedHashMap<>();
    all.put("PING", () -> ping(false));
    all.put("PING, flushed", () -> ping(true));
    all.put("EVALSHA return 1", () -> evalReturnOne(false));
    all.put("EVALSHA return 1, flushed", () -> evalReturnOne(true));
    all.put("fixed window", this::fixedWindow);
    all.put("Spring Cloud Gateway", () -> tokenBucket(false, true));
    all.put("Spring Cloud Gateway, flushed", () -> tokenBucket(true, true));
    all.put("Bucket4j", () -> bucket4j(false));
    all.put("Bucket4j, batching", () -> bucket4j(true));
    all.put("Redisson", this::redisson);
    for (int buckets : new int[] {1, 3, 8}) {
      all.put(
          "Weir %d".formatted(buckets),
          () -> new WeirContender(redisUri, buckets, WeirContender.Mode.ADMITTED));
    }
    all.put(
        "Weir 3, as scripts",
        () -> WeirContender.asScripts(redisUri, 3, WeirContender.Mode.ADMITTED));
    all.put(
        "Weir 3, quota, permit and reservation",
        () -> new WeirContender(redisUri, 3, WeirContender.Mode.KINDS));
    all.put(
        "Weir 3, quota, permit and reservation, as scripts",
        () -> WeirContender.asScripts(redisUri, 3, WeirContender.Mode.KINDS));
    all.put(
        "Weir 1, tickets wanted", () -> new WeirContender(redisUri, 1, WeirContender.Mode.WANTING));
    all.put("Weir embedded", () -> new EmbeddedContender(redisUri, false));
    all.put("Weir embedded, leased", () -> new EmbeddedContender(redisUri, true));
    return all;
  }

  /** A contender that admits. */
  Contender admitting(String name) {
    return requireNonNull(admitting().get(name), name).get();
  }

  /** The contenders that deny, by name. */
  Map<String, Supplier<Contender>> denying() {
    Map<String, Supplier<Contender>> all = new LinkedHashMap<>();
    all.put("Spring Cloud Gateway, denied", () -> tokenBucket(false, false));
    all.put(
        "Weir 1, a place made", () -> new WeirContender(redisUri, 1, WeirContender.Mode.PLACED));
    all.put(
        "Weir 1, a place made, as scripts",
        () -> WeirContender.asScripts(redisUri, 1, WeirContender.Mode.PLACED));
    all.put(
        "Weir 3, denied by Redis", () -> new WeirContender(redisUri, 3, WeirContender.Mode.DENIED));
    all.put(
        "Weir 3, denied by the node",
        () -> new WeirContender(redisUri, 3, WeirContender.Mode.KNOWN));
    return all;
  }

  private Contender ping(boolean isFlushedTogether) {
    return new RedisContender(
        "PING",
        redisUri,
        isFlushedTogether,
        connection -> (redis, subject) -> redis.ping().thenApply(pong -> true));
  }

  private Contender evalReturnOne(boolean isFlushedTogether) {
    return new RedisContender("EVALSHA return 1", redisUri, isFlushedTogether, connection -> {
      String sha = connection.sync().scriptLoad("return 1");
      return (redis, subject) -> redis
          .<Long>evalsha(sha, ScriptOutputType.INTEGER, key(subject))
          .thenApply(one -> one == 1);
    });
  }

  // INCR, and EXPIRE at the first request of a window.
  private Contender fixedWindow() {
    return new RedisContender("fixed window", redisUri, false, connection -> (redis, subject) -> {
      String key = "window:" + subject;
      return redis
          .incr(key)
          .thenCompose(count -> count == 1
              ? redis.expire(key, CAPACITY)
              : CompletableFuture.completedFuture(count <= CAPACITY));
    });
  }

  // The algorithm of Spring Cloud Gateway; nine million tokens with one more per second, or a
  // single token per 1000 seconds.
  private Contender tokenBucket(boolean isFlushedTogether, boolean admits) {
    String rate = admits ? "1" : "0.001";
    String capacity = admits ? Long.toString(CAPACITY) : "1";
    RedisContender bucket =
        new RedisContender("Spring Cloud Gateway", redisUri, isFlushedTogether, connection -> {
          String sha = connection.sync().scriptLoad(script("token_bucket.lua"));
          return (redis, subject) -> {
            String[] keys = {"{" + subject + "}.tokens", "{" + subject + "}.timestamp"};
            return redis
                .<List<Long>>evalsha(sha, ScriptOutputType.MULTI, keys, rate, capacity, "1")
                .thenApply(reply -> reply.get(0) == 1);
          };
        });
    return admits ? bucket : new Denying(bucket);
  }

  /** A contender whose whole limit is taken before the measurement. */
  private record Denying(Contender contender) implements Contender {
    @Override
    public String name() {
      return contender.name() + ", denied";
    }

    @Override
    public boolean admits() {
      return false;
    }

    @Override
    public CompletionStage<Boolean> prepare(int subject) {
      return contender.ask(subject);
    }

    @Override
    public CompletionStage<Boolean> ask(int subject) {
      return contender.ask(subject);
    }

    @Override
    public void close() {
      contender.close();
    }
  }

  private Contender bucket4j(boolean isBatching) {
    RedisClient client = RedisClient.create(redisUri);
    StatefulRedisConnection<String, byte[]> connection =
        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    AsyncProxyManager<String> buckets = Bucket4jLettuce.casBasedBuilder(connection)
        .expirationAfterWrite(
            ExpirationAfterWriteStrategy.fixedTimeToLive(Duration.ofSeconds(CAPACITY)))
        .build()
        .asAsync();
    BucketConfiguration configuration = BucketConfiguration.builder()
        .addLimit(Bandwidth.builder()
            .capacity(CAPACITY)
            .refillGreedy(1, Duration.ofSeconds(1))
            .build())
        .build();
    return new Contender() {
      private final Map<Integer, AsyncBucketProxy> kept = new ConcurrentHashMap<>();

      @Override
      public String name() {
        return isBatching ? "Bucket4j, batching" : "Bucket4j";
      }

      @Override
      public CompletionStage<Boolean> ask(int subject) {
        return isBatching
            ? kept.computeIfAbsent(subject, this::bucket).tryConsume(1)
            : bucket(subject).tryConsume(1);
      }

      private AsyncBucketProxy bucket(int subject) {
        RemoteAsyncBucketBuilder<String> builder = buckets.builder();
        return (isBatching ? builder.withOptimization(Optimizations.batching()) : builder)
            .build("bucket4j:" + subject, () -> CompletableFuture.completedFuture(configuration));
      }

      @Override
      public void close() {
        connection.close();
        client.shutdown();
      }
    };
  }

  private Contender redisson() {
    Config config = new Config();
    // Lettuce does the same by default.
    config.setTransportMode(Epoll.isAvailable() ? TransportMode.EPOLL : TransportMode.NIO);
    config.useSingleServer().setAddress(redisUri).setTimeout((int) TIMEOUT.toMillis());
    RedissonClient client = Redisson.create(config);
    return new Contender() {
      private final Map<Integer, CompletionStage<RRateLimiter>> limiters =
          new ConcurrentHashMap<>();

      @Override
      public String name() {
        return "Redisson";
      }

      @Override
      public CompletionStage<Boolean> ask(int subject) {
        return limiters
            .computeIfAbsent(subject, this::limiter)
            .thenCompose(limiter -> limiter.tryAcquireAsync(1));
      }

      private CompletionStage<RRateLimiter> limiter(int subject) {
        RRateLimiter limiter = client.getRateLimiter("redisson:" + subject);
        return limiter
            .trySetRateAsync(RateType.OVERALL, CAPACITY, Duration.ofSeconds(60))
            .thenApply(set -> limiter);
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }

  private static String key(int subject) {
    return "key:" + subject;
  }

  static String script(String name) {
    try (InputStream in = Contenders.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no script " + name);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
