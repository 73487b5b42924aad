package io.weir.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Decision.Allowed;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.state.redis.RedisBucketStore;
import io.weir.state.redis.RedisConnections;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Weir, its peers, and the floors below them. Every limit is far above what is asked, and drains so slowly that
 * no key expires between two visits: one that expired would flatter.
 */
final class Contenders {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  /** Operations that a bucket holds, and the seconds it takes to drain: one a second. */
  private static final long CAPACITY = 9_000_000;

  private final String redisUri;

  Contenders(String redisUri) {
    this.redisUri = redisUri;
  }

  /** All of them by name, each made when it is needed. */
  Map<String, Supplier<Contender>> all() {
    Map<String, Supplier<Contender>> all = new LinkedHashMap<>();
    all.put("PING", () -> floor("PING", redis -> redis.ping().thenApply(pong -> true)));
    all.put("EVALSHA return 1", this::evalReturnOne);
    all.put("fixed window", this::fixedWindow);
    all.put("Spring Cloud Gateway", this::tokenBucket);
    all.put("Bucket4j", this::bucket4j);
    all.put("Redisson", this::redisson);
    for (int buckets : new int[] {1, 3, 8}) {
      all.put("Weir %d".formatted(buckets), () -> weir(buckets));
    }
    return all;
  }

  private Contender floor(
      String name, Function<RedisAsyncCommands<String, String>, CompletionStage<Boolean>> command) {
    return new RedisContender(name, open(), (redis, subject) -> command.apply(redis));
  }

  private Contender evalReturnOne() {
    RedisConnections connections = open();
    String sha = connections.connection().sync().scriptLoad("return 1");
    return new RedisContender(
        "EVALSHA return 1",
        connections,
        (redis, subject) -> redis
            .<Long>evalsha(sha, ScriptOutputType.INTEGER, key(subject))
            .thenApply(one -> one == 1));
  }

  // INCR, and EXPIRE with the first of a window.
  private Contender fixedWindow() {
    return new RedisContender("fixed window", open(), (redis, subject) -> {
      String key = "window:" + subject;
      return redis
          .incr(key)
          .thenCompose(count -> count == 1
              ? redis.expire(key, CAPACITY)
              : CompletableFuture.completedFuture(count <= CAPACITY));
    });
  }

  private Contender tokenBucket() {
    RedisConnections connections = open();
    String sha = connections.connection().sync().scriptLoad(script("token_bucket.lua"));
    String capacity = Long.toString(CAPACITY);
    return new RedisContender("Spring Cloud Gateway", connections, (redis, subject) -> {
      String[] keys = {"{" + subject + "}.tokens", "{" + subject + "}.timestamp"};
      return redis
          .<List<Long>>evalsha(sha, ScriptOutputType.MULTI, keys, "1", capacity, "1")
          .thenApply(reply -> reply.get(0) == 1);
    });
  }

  private Contender bucket4j() {
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
      @Override
      public String name() {
        return "Bucket4j";
      }

      @Override
      public CompletionStage<Boolean> ask(int subject) {
        return buckets
            .builder()
            .build("bucket4j:" + subject, () -> CompletableFuture.completedFuture(configuration))
            .tryConsume(1);
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

  private Contender weir(int buckets) {
    RedisConnections connections = open();
    RedisBucketStore store = RedisBucketStore.of(connections);
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      Bucket bucket = new Bucket("bucket-" + i, Scope.KEY, 1000, CAPACITY * 1000);
      draws.add(new Draw(bucket, Bucket.UNITS_PER_OPERATION));
    }
    // One list for all, as a policy has it.
    List<Draw> limits = List.copyOf(draws);
    List<String> subjects = IntStream.range(0, 10_000).mapToObj(i -> "k" + i).toList();
    return new RedisContender(
        "Weir " + buckets,
        connections,
        (redis, subject) -> store
            .tryCharge(new Charge(
                "acme", subjects.get(subject), 1, limits, 1, SlotRules.DEFAULT, TicketRequest.NONE))
            .thenApply(Contenders::isAllowed));
  }

  private static boolean isAllowed(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }

  private RedisConnections open() {
    return RedisConnections.open(redisUri, TIMEOUT);
  }

  private static String key(int subject) {
    return "key:" + subject;
  }

  private static String script(String name) {
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
