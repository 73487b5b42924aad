package io.weir.state.connection;

import io.netty.channel.EventLoop;
import io.weir.core.throttle.StoreUnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The connections of a process that starts.
 *
 * @param uri see {@link RedisAddress#parse}
 * @param copy a file with the policy: if it exists, the process starts even if Redis is away
 */
public record RedisStart(String uri, Optional<Path> copy) {
  /** Whether the process starts even if Redis is away. */
  public boolean mayBeLater() {
    return copy.filter(Files::exists).isPresent();
  }

  /** Connects, now or later; see {@link RedisConnections#open(String, Duration)}. */
  public RedisConnections open(Duration commandTimeout) {
    return opened(
        () -> RedisConnections.open(uri, commandTimeout),
        () -> RedisConnections.openLater(uri, commandTimeout));
  }

  /** The same with a connection on each of these event loops. */
  public RedisConnections open(Duration commandTimeout, Collection<EventLoop> eventLoops) {
    return opened(
        () -> RedisConnections.open(uri, commandTimeout, eventLoops),
        () -> RedisConnections.openLater(uri, commandTimeout, eventLoops));
  }

  private RedisConnections opened(
      Supplier<RedisConnections> now, Supplier<RedisConnections> later) {
    try {
      return now.get();
    } catch (StoreUnavailableException e) {
      if (!e.fault().isOutage() || !mayBeLater()) {
        throw e;
      }
      return later.get();
    }
  }
}
