package io.weir.operators.warning;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Which warnings were told by any node. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
final class RedisWarnings {
  private static final LuaLibrary LIBRARY = LuaLibrary.of("warning", List.of("warning_claim"));

  private final RedisLibrary library;

  RedisWarnings(RedisConnections redis) {
    this.library = new RedisLibrary(redis, LIBRARY);
  }

  /**
   * Claims a warning for its time. Completes with zero if this node is to tell it; else with the time after which it may
   * be told again.
   */
  CompletableFuture<Duration> claim(Warning warning, String node) {
    String key = RedisKeys.warning(
        warning.rule().id(), warning.owner(), warning.limit().bucket(), warning.at());
    String lasts = Long.toString(warning.lasts().toMillis());
    return library
        .run("warning_claim", List.of(key), List.of(node, lasts))
        .thenApply(answer -> Duration.ofMillis((Long) answer.get(0)));
  }
}
