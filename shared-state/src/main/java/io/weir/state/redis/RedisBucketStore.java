package io.weir.state.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.decision.Verdict;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Buckets in Redis, one script and one round trip a decision. Safe for use by many threads; the
 * connection belongs to whoever opened it, and its command timeout bounds every answer.
 *
 * <p>A script that Redis has forgotten is sent again with the same charge. Nothing else is tried twice:
 * a charge whose answer was lost may have been taken.
 */
public final class RedisBucketStore implements BucketStore {
  private final RedisAsyncCommands<String, String> redis;
  private final LuaScript charge;
  private final LuaScript peek;
  private final List<LongSupplier> trailingArguments;

  private RedisBucketStore(
      StatefulRedisConnection<String, String> connection,
      Map<String, String> includes,
      List<LongSupplier> trailingArguments) {
    this.redis = connection.async();
    this.charge = LuaScript.load("charge", includes);
    this.peek = LuaScript.load("peek", includes);
    this.trailingArguments = trailingArguments;
  }

  /** A store on Redis's own time. */
  public static RedisBucketStore of(StatefulRedisConnection<String, String> connection) {
    return new RedisBucketStore(connection, Map.of(), List.of());
  }

  /**
   * A store on another time, to rehearse what was recorded or imagined. Never for live traffic: its time
   * must not be mixed with Redis's own in the same keys.
   *
   * @param clockMicros microseconds since the epoch, later than the present: keys expire by Redis's time
   */
  public static RedisBucketStore rehearsing(
      StatefulRedisConnection<String, String> connection, LongSupplier clockMicros) {
    return new RedisBucketStore(connection, Map.of("now", "now_argument"), List.of(clockMicros));
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge request) {
    return run(charge, request);
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge request) {
    return run(peek, request);
  }

  private CompletionStage<StoreAnswer> run(LuaScript script, Charge request) {
    List<String> keys = new ArrayList<>();
    keys.add(RedisKeys.POLICY);
    String[] arguments = arguments(request, keys);
    return eval(script, keys.toArray(String[]::new), arguments)
        .thenApply(reply -> answer(request, reply));
  }

  private String[] arguments(Charge request, List<String> keys) {
    List<String> arguments = new ArrayList<>(2 + 4 * request.draws().size() + 1);
    arguments.add(Long.toString(request.revision()));
    arguments.add(Integer.toString(request.draws().size()));
    for (Draw draw : request.draws()) {
      Bucket bucket = draw.bucket();
      arguments.add(Integer.toString(indexOf(keyOf(request, bucket), keys)));
      arguments.add(bucket.name() + "@" + bucket.milliOpsPerSec());
      arguments.add(Long.toString(bucket.capacityUnits()));
      arguments.add(Long.toString(draw.units(request.cost())));
    }
    trailingArguments.forEach(argument -> arguments.add(Long.toString(argument.getAsLong())));
    return arguments.toArray(String[]::new);
  }

  private static int indexOf(String key, List<String> keys) {
    int index = keys.indexOf(key);
    if (index >= 0) {
      return index;
    }
    keys.add(key);
    return keys.size() - 1;
  }

  private static String keyOf(Charge request, Bucket bucket) {
    return switch (bucket.scope()) {
      case KEY -> RedisKeys.key(request.tenant(), request.subject());
      case TENANT -> RedisKeys.tenant(request.tenant());
      case CLUSTER -> RedisKeys.CLUSTER;
    };
  }

  private CompletionStage<List<Long>> eval(LuaScript script, String[] keys, String[] arguments) {
    return redis
        .<List<Long>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments)
        .exceptionallyCompose(error -> isNoScript(error)
            ? redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments)
            : failed(error))
        .exceptionally(error -> {
          throw unavailable(error);
        });
  }

  private static StoreAnswer answer(Charge request, List<Long> reply) {
    Status status = Status.of(reply.get(0));
    if (status == Status.STALE) {
      return new StoreAnswer.Stale(reply.get(1));
    }
    long[] used = reply.stream().skip(2).mapToLong(Long::longValue).toArray();
    Verdict verdict = request.verdict(reply.get(1));
    return new StoreAnswer.Decided(verdict.decision(status.outcome(), used));
  }

  private static boolean isNoScript(Throwable error) {
    return error instanceof RedisNoScriptException
        || error.getCause() instanceof RedisNoScriptException;
  }

  private static <T> CompletionStage<T> failed(Throwable error) {
    return CompletableFuture.failedStage(error);
  }

  private static StoreUnavailableException unavailable(Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    return new StoreUnavailableException("Redis did not answer: " + cause.getMessage(), cause);
  }
}
