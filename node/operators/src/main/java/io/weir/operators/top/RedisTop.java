package io.weir.operators.top;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The counts of the nodes, in Redis for two minutes. Safe for use by many threads; failures are
 * {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisTop {
  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("insight", List.of("top_put", "top_look"));

  private final RedisLibrary library;

  public RedisTop(RedisConnections redis) {
    this.library = new RedisLibrary(redis, LIBRARY);
  }

  /** Stores the counts of a node, and returns Redis's time in microseconds. */
  public CompletableFuture<Long> put(String node, Counts counts) {
    return library
        .run("top_put", List.of(RedisKeys.TOP), List.of(node, counts.toJson().encode()))
        .thenApply(answer -> (Long) answer.get(0));
  }

  /** The counts of each node that has told them in the last ten seconds, as texts for {@link Counts#parse}. */
  public CompletableFuture<List<String>> look() {
    return library.run("top_look", List.of(RedisKeys.TOP), List.of()).thenApply(answer -> {
      List<String> all = new ArrayList<>();
      for (int i = 1; i < answer.size(); i += 2) {
        all.add((String) answer.get(i));
      }
      return all;
    });
  }
}
