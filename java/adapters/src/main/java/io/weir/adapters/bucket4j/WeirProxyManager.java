package io.weir.adapters.bucket4j;

import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AbstractProxyManagerBuilder;
import io.github.bucket4j.distributed.proxy.ClientSideConfig;
import io.github.bucket4j.distributed.proxy.generic.compare_and_swap.AbstractCompareAndSwapBasedProxyManager;
import io.github.bucket4j.distributed.proxy.generic.compare_and_swap.AsyncCompareAndSwapOperation;
import io.github.bucket4j.distributed.proxy.generic.compare_and_swap.CompareAndSwapOperation;
import io.github.bucket4j.distributed.remote.RemoteBucketState;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.weir.core.throttle.Failures;
import io.weir.state.connection.RedisConnections;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Buckets of Bucket4j in the Redis of Weir, on one Redis, Sentinel or Cluster: programs that use Bucket4j keep their
 * code and their configurations while they move. Each bucket is a text under {@code weir:bucket4j:}, changed by
 * comparing and setting. Limits of a policy know nothing of these buckets, and these nothing of them. Safe for use by
 * many threads.
 */
public final class WeirProxyManager extends AbstractCompareAndSwapBasedProxyManager<String> {
  private static final String PREFIX = "weir:bucket4j:";
  private static final String NONE = "";
  private static final String COMPARE_AND_SET = """
      local before = redis.call('GET', KEYS[1]) or ''
      if before ~= ARGV[1] then
        return 0
      end
      if ARGV[3] == '0' then
        redis.call('SET', KEYS[1], ARGV[2])
      else
        redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
      end
      return 1
      """;

  private final RedisConnections redis;
  private final ExpirationAfterWriteStrategy expiration;

  private WeirProxyManager(RedisConnections redis, ClientSideConfig config) {
    super(config);
    this.redis = redis;
    this.expiration =
        config.getExpirationAfterWriteStrategy().orElse(ExpirationAfterWriteStrategy.none());
  }

  /** A manager on these connections, which stay their owner's. */
  public static Builder builder(RedisConnections redis) {
    return new Builder(redis);
  }

  /** The settings of Bucket4j. Mutable; owned by one thread. */
  public static final class Builder
      extends AbstractProxyManagerBuilder<String, WeirProxyManager, Builder> {
    private final RedisConnections redis;

    private Builder(RedisConnections redis) {
      this.redis = redis;
    }

    @Override
    public WeirProxyManager build() {
      return new WeirProxyManager(redis, getClientSideConfig());
    }

    @Override
    public boolean isExpireAfterWriteSupported() {
      return true;
    }
  }

  @Override
  protected CompareAndSwapOperation beginCompareAndSwapOperation(String key) {
    return new CompareAndSwapOperation() {
      @Override
      public Optional<byte[]> getStateData(Optional<Long> timeoutNanos) {
        return waited(stored(key), timeoutNanos);
      }

      @Override
      public boolean compareAndSwap(
          byte @Nullable [] original,
          byte[] next,
          RemoteBucketState state,
          Optional<Long> timeoutNanos) {
        return waited(swapped(key, original, next, state), timeoutNanos);
      }
    };
  }

  @Override
  protected AsyncCompareAndSwapOperation beginAsyncCompareAndSwapOperation(String key) {
    return new AsyncCompareAndSwapOperation() {
      @Override
      public CompletableFuture<Optional<byte[]>> getStateData(Optional<Long> timeoutNanos) {
        return bounded(stored(key), timeoutNanos);
      }

      @Override
      public CompletableFuture<Boolean> compareAndSwap(
          byte @Nullable [] original,
          byte[] next,
          RemoteBucketState state,
          Optional<Long> timeoutNanos) {
        return bounded(swapped(key, original, next, state), timeoutNanos);
      }
    };
  }

  private CompletableFuture<Optional<byte[]>> stored(String key) {
    return redis
        .ask(commands -> commands.get(PREFIX + key))
        .thenApply(text -> Optional.ofNullable(text).map(Base64.getDecoder()::decode));
  }

  private CompletableFuture<Boolean> swapped(
      String key, byte @Nullable [] original, byte[] next, RemoteBucketState state) {
    String[] keys = {PREFIX + key};
    return redis
        .ask((RedisClusterAsyncCommands<String, String> commands) ->
            (CompletionStage<Long>) commands.<Long>eval(
                COMPARE_AND_SET,
                ScriptOutputType.INTEGER,
                keys,
                original == null ? NONE : text(original),
                text(next),
                Long.toString(lastsMillis(state))))
        .thenApply(done -> done == 1);
  }

  private static String text(byte[] state) {
    return new String(Base64.getEncoder().encode(state), StandardCharsets.US_ASCII);
  }

  // 0 for ever.
  private long lastsMillis(RemoteBucketState state) {
    long now = getClientSideConfig()
        .getClientSideClock()
        .map(TimeMeter::currentTimeNanos)
        .orElseGet(this::currentTimeNanos);
    return Math.max(0, expiration.calculateTimeToLiveMillis(state, now));
  }

  @Override
  public void removeProxy(String key) {
    waited(removed(key), getClientSideConfig().getRequestTimeoutNanos());
  }

  @Override
  protected CompletableFuture<Void> removeAsync(String key) {
    return removed(key);
  }

  private CompletableFuture<Void> removed(String key) {
    return redis.ask(commands -> commands.del(PREFIX + key)).thenApply(count -> null);
  }

  @Override
  public boolean isAsyncModeSupported() {
    return true;
  }

  @Override
  public boolean isExpireAfterWriteSupported() {
    return true;
  }

  // An answer of Redis takes at most the time-out of the connections.
  private static <T> T waited(CompletableFuture<T> asked, Optional<Long> timeoutNanos) {
    try {
      return bounded(asked, timeoutNanos).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  private static <T> CompletableFuture<T> bounded(
      CompletableFuture<T> asked, Optional<Long> timeoutNanos) {
    return timeoutNanos.isEmpty()
        ? asked
        : asked
            .copy()
            .orTimeout(timeoutNanos.get(), TimeUnit.NANOSECONDS)
            .exceptionallyCompose(error -> CompletableFuture.failedFuture(
                Failures.cause(error) instanceof TimeoutException
                    ? late(timeoutNanos.get())
                    : Failures.cause(error)));
  }

  private static RuntimeException late(long nanos) {
    return new io.github.bucket4j.TimeoutException(
        "Redis did not answer within %d ns".formatted(nanos), nanos, nanos);
  }
}
