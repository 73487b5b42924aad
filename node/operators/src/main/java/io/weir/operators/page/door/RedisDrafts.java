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
 * The drafts of the policy that operators write, in Redis, where every node finds them: as long as a session lasts. Each
 * session of an operator has one, so that people who share a token do not type into each other's. Safe for use by many
 * threads; failures are {@link io.weir.core.throttle.StoreUnavailableException}.
 */
final class RedisDrafts {
  static final Duration LASTS = Duration.ofHours(12);

  /** Drafts of one operator. */
  static final int MOST = 8;

  private static final String NO_SESSION = "-";
  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("drafts", List.of("draft_put", "draft_look", "draft_end"));

  private final RedisConnections redis;
  private final LuaScript put = LIBRARY.script("draft_put");
  private final LuaScript look = LIBRARY.script("draft_look");
  private final LuaScript end = LIBRARY.script("draft_end");

  RedisDrafts(RedisConnections redis) {
    this.redis = redis;
  }

  /** The draft of a session, and the newest one of the operator's other sessions. */
  record Found(Optional<JsonObject> own, Optional<JsonObject> other) {}

  /** Keeps a draft, in place of the one before. Over {@link #MOST}, the operator's oldest one is forgotten. */
  CompletableFuture<Void> put(String operator, Optional<String> session, JsonObject draft) {
    List<String> arguments = List.of(
        session.orElse(NO_SESSION),
        draft.encode(),
        Long.toString(LASTS.toMillis()),
        Integer.toString(MOST));
    return Scripts.run(redis, put, keys(operator), arguments).thenApply(kept -> null);
  }

  CompletableFuture<Found> look(String operator, Optional<String> session) {
    return Scripts.run(redis, look, keys(operator), List.of(session.orElse(NO_SESSION)))
        .thenApply(found -> new Found(draft(found.get(0)), draft(found.get(1))));
  }

  private static Optional<JsonObject> draft(Object text) {
    return Optional.of((String) text).filter(it -> !it.isEmpty()).map(JsonInput::object);
  }

  /** Forgets the draft of a session, if there is one; without a session, all of the operator. */
  CompletableFuture<Void> end(String operator, Optional<String> session) {
    return Scripts.run(redis, end, keys(operator), List.of(session.orElse("")))
        .thenApply(ended -> null);
  }

  private static List<String> keys(String operator) {
    return List.of(RedisKeys.drafts(operator));
  }
}
