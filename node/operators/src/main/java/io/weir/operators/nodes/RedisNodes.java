package io.weir.operators.nodes;

import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The description of each node by itself, in Redis, where it outlives for an hour a node that ended without notice. Safe for
 * use by many threads; failures are {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisNodes {
  static final Duration LIVES = Duration.ofHours(1);
  /** With more of them, the oldest record goes. */
  static final int MOST = 64;

  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("nodes", List.of("node_put", "node_look", "node_end"));
  private static final List<String> KEYS = List.of(RedisKeys.NODES_SEEN);
  private static final int PARTS = 3;

  private final RedisLibrary library;

  public RedisNodes(RedisConnections redis) {
    this.library = new RedisLibrary(redis, LIBRARY);
  }

  /**
   * A node, as it described itself last.
   *
   * @param node its name
   * @param seen when that was, by Redis's clock
   */
  public record SeenNode(String node, Instant seen, JsonObject facts) {}

  /** Replaces the record of a node. */
  public CompletableFuture<Void> put(String node, JsonObject facts) {
    List<String> arguments =
        List.of(node, facts.encode(), Long.toString(LIVES.toMillis()), Integer.toString(MOST));
    return library.run("node_put", KEYS, arguments).thenApply(removed -> null);
  }

  /**
   * The nodes of the last hour.
   *
   * @param nodes those that described themselves, also those that answer
   * @param ended when a node ended with notice last: its figures are gone
   */
  public record LastHour(List<SeenNode> nodes, Optional<Instant> ended) {
    /** Nothing. */
    public static final LastHour UNKNOWN = new LastHour(List.of(), Optional.empty());

    public LastHour {
      nodes = List.copyOf(nodes);
    }
  }

  /** Looks at the last hour. */
  public CompletableFuture<LastHour> look() {
    List<String> arguments = List.of(Long.toString(LIVES.toMillis()));
    return library.run("node_look", KEYS, arguments).thenApply(RedisNodes::lastHour);
  }

  private static LastHour lastHour(List<Object> answer) {
    List<SeenNode> nodes = new ArrayList<>();
    for (int i = 1; i + PARTS <= answer.size(); i += PARTS) {
      nodes.add(new SeenNode(
          (String) answer.get(i),
          Instant.ofEpochMilli((Long) answer.get(i + 1)),
          JsonInput.object((String) answer.get(i + 2))));
    }
    Optional<Instant> ended =
        Optional.of((Long) answer.get(0)).filter(millis -> millis > 0).map(Instant::ofEpochMilli);
    return new LastHour(nodes, ended);
  }

  /** Removes the record of a node that ends, and notes the time. */
  public CompletableFuture<Void> end(String node) {
    return library
        .run("node_end", KEYS, List.of(node, Long.toString(LIVES.toMillis())))
        .thenApply(removed -> null);
  }
}
