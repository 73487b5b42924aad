package io.weir.state.connection;

import io.lettuce.core.ScriptOutputType;
import io.weir.state.wire.LuaScript;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs a script that is not one of the lanes. */
public final class Scripts {
  private Scripts() {}

  /** Runs the script; failures are {@link io.weir.core.throttle.StoreUnavailableException}. */
  public static CompletableFuture<List<Object>> run(
      RedisConnections redis, LuaScript script, List<String> keys, List<String> arguments) {
    String[] of = keys.toArray(String[]::new);
    String[] with = arguments.toArray(String[]::new);
    return redis.ask(commands -> {
      CompletionStage<List<Object>> answer =
          commands.evalsha(script.sha1(), ScriptOutputType.MULTI, of, with);
      return answer
          .handle((found, error) -> error != null && Faults.isUnknownScript(error)
              ? commands.<List<Object>>eval(script.source(), ScriptOutputType.MULTI, of, with)
              : answer)
          .thenCompose(stage -> stage);
    });
  }
}
