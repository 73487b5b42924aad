package io.weir.state.connection;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.weir.state.wire.LuaScript;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Runs a command that is not one of the lanes. */
public final class Scripts {
  private final RedisConnections redis;
  private final LuaScript script;
  private final String[] keys;
  private final String[] arguments;

  private Scripts(
      RedisConnections redis, LuaScript script, List<String> keys, List<String> arguments) {
    this.redis = redis;
    this.script = script;
    this.keys = keys.toArray(String[]::new);
    this.arguments = arguments.toArray(String[]::new);
  }

  /** Runs the command; failures are {@link io.weir.core.throttle.StoreUnavailableException}. */
  public static CompletableFuture<List<Object>> run(
      RedisConnections redis, LuaScript script, List<String> keys, List<String> arguments) {
    Scripts call = new Scripts(redis, script, keys, arguments);
    return redis.ask(redis.functions().areUsed() ? call::asFunction : call::asScript);
  }

  private CompletionStage<List<Object>> asFunction(
      RedisClusterAsyncCommands<String, String> commands) {
    return orElse(fcall(commands), error -> {
      if (Faults.isUnknownFunction(error)) {
        return orElse(
            redis
                .functions()
                .load(redis.links().get(0), script.library())
                .thenCompose(loaded -> fcall(commands)),
            failed -> asScript(commands));
      }
      if (Faults.isWithoutFunctions(error)) {
        redis.functions().refused(error);
        return asScript(commands);
      }
      return CompletableFuture.failedFuture(error);
    });
  }

  private CompletionStage<List<Object>> asScript(
      RedisClusterAsyncCommands<String, String> commands) {
    return orElse(
        commands.evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments),
        error -> Faults.isUnknownScript(error)
            ? commands.eval(script.source(), ScriptOutputType.MULTI, keys, arguments)
            : CompletableFuture.failedFuture(error));
  }

  private CompletionStage<List<Object>> fcall(RedisClusterAsyncCommands<String, String> commands) {
    return commands.fcall(script.function(), ScriptOutputType.MULTI, keys, arguments);
  }

  private static <T> CompletionStage<T> orElse(
      CompletionStage<T> stage, Function<Throwable, CompletionStage<T>> otherwise) {
    return stage
        .handle((answer, error) -> error == null ? stage : otherwise.apply(error))
        .thenCompose(Function.identity());
  }
}
