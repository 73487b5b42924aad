package io.weir.state.connection;

import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.StoreClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The commands of a library, in one Redis and by one clock. Safe for use by many threads; never blocks.
 *
 * @param clock the same one whose modules the library has
 */
public record RedisLibrary(RedisConnections redis, LuaLibrary library, StoreClock clock) {

  /** The commands by Redis's own clock. */
  public RedisLibrary(RedisConnections redis, LuaLibrary library) {
    this(redis, library, StoreClock.REDIS);
  }

  /** The commands of the limiter. */
  public static RedisLibrary limiter(RedisConnections redis, StoreClock clock) {
    return new RedisLibrary(redis, LuaLibrary.limiter(clock.modules()), clock);
  }

  /**
   * Runs a command; failures are {@link io.weir.core.throttle.StoreUnavailableException}.
   *
   * @param command the name of its file
   */
  public CompletableFuture<List<Object>> run(
      String command, List<String> keys, List<String> arguments) {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(clock.arguments().get());
    return Scripts.run(redis, library.script(command), keys, all);
  }
}
