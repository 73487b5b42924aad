package io.weir.node.auth;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The sessions of operators' browsers in Redis, where all nodes find them: by the hash of the cookie, with the token
 * encrypted. Few, so that they fill nothing. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisSessions {
  /** How long a session lasts. */
  static final Duration LASTS = Duration.ofHours(12);

  static final int MOST = 256;
  static final int MOST_OF_OPERATOR = 64;

  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("sessions", List.of("session_put", "session_look", "session_end"));
  private static final List<String> KEYS = List.of(RedisKeys.SESSIONS);

  private final RedisLibrary library;

  public RedisSessions(RedisConnections redis) {
    this.library = new RedisLibrary(redis, LIBRARY);
  }

  /**
   * Keeps a session. If there are too many, the oldest of this operator ends, or of the one who has the most: no operator
   * ends those of all others.
   *
   * @param before the name of the session that it replaces; empty for none
   */
  CompletableFuture<Void> put(String name, StoredSession session, String before) {
    List<String> arguments = List.of(
        name,
        session.operator(),
        session.sealed(),
        before,
        Long.toString(LASTS.toMillis()),
        Integer.toString(MOST),
        Integer.toString(MOST_OF_OPERATOR));
    return library.run("session_put", KEYS, arguments).thenApply(ended -> null);
  }

  /** A session that is not over. */
  CompletableFuture<Optional<StoredSession>> look(String name) {
    return library
        .run("session_look", KEYS, List.of(name))
        .thenApply(found -> found.isEmpty()
            ? Optional.empty()
            : Optional.of(new StoredSession((String) found.get(0), (String) found.get(1))));
  }

  /** Ends a session, if there is one. */
  CompletableFuture<Void> end(String name) {
    return library.run("session_end", KEYS, List.of(name)).thenApply(ended -> null);
  }
}
