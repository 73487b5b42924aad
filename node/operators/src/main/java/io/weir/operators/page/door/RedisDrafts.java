package io.weir.operators.page.door;

import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.Scripts;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The drafts of the policy that operators write, one of each, in Redis, where every node finds them: as long as a session
 * lasts. Safe for use by many threads; failures are {@link io.weir.core.throttle.StoreUnavailableException}.
 */
final class RedisDrafts {
  static final Duration LASTS = Duration.ofHours(12);

  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("drafts", List.of("draft_put", "draft_look", "draft_end"));

  private final RedisConnections redis;
  private final LuaScript put = LIBRARY.script("draft_put");
  private final LuaScript look = LIBRARY.script("draft_look");
  private final LuaScript end = LIBRARY.script("draft_end");

  RedisDrafts(RedisConnections redis) {
    this.redis = redis;
  }

  /** Keeps a draft of an operator, in place of the one before. */
  CompletableFuture<Void> put(String operator, JsonObject draft) {
    List<String> arguments = List.of(draft.encode(), Long.toString(LASTS.toMillis()));
    return Scripts.run(redis, put, keys(operator), arguments).thenApply(kept -> null);
  }

  /** The draft of an operator. */
  CompletableFuture<Optional<JsonObject>> look(String operator) {
    return Scripts.run(redis, look, keys(operator), List.of())
        .thenApply(
            found -> found.stream().findFirst().map(text -> JsonInput.object((String) text)));
  }

  /** Forgets the draft of an operator, if there is one. */
  CompletableFuture<Void> end(String operator) {
    return Scripts.run(redis, end, keys(operator), List.of()).thenApply(ended -> null);
  }

  private static List<String> keys(String operator) {
    return List.of(RedisKeys.draft(operator));
  }
}
