package io.weir.state.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import io.weir.throttle.StoreFault;
import io.weir.throttle.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * A connection, and the event loop it lives on.
 *
 * @param events tells of its attempts to connect
 * @param refusal why Redis refused the last attempt; null where it did not
 */
record Link(
    StatefulRedisConnection<String, String> connection,
    EventLoop eventLoop,
    RedisClient client,
    ClientResources resources,
    Disposable events,
    AtomicReference<@Nullable StoreFault> refusal) {
  /** What an error means, and for what reason the connection is not there, where Redis gives one. */
  StoreFault fault(Throwable error) {
    StoreFault fault = Faults.of(error);
    @Nullable StoreFault refused = refusal.get();
    return fault == StoreFault.UNREACHABLE && refused != null ? refused : fault;
  }

  /** The same as an exception of the store. */
  StoreUnavailableException unavailable(Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    return new StoreUnavailableException(
        fault(cause), "Redis did not answer: " + cause.getMessage(), cause);
  }

  /** The same answer, or an error with its reason. */
  <T> CompletableFuture<T> named(CompletionStage<T> answer) {
    return answer
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(unavailable(error)))
        .toCompletableFuture();
  }

  CompletableFuture<Void> closed() {
    events.dispose();
    return connection.closeAsync();
  }

  void shutDown() {
    shutDown(client, resources);
  }

  // A connection that Redis refuses looks like one that is lost; the reason is in the event of the
  // attempt.
  static void noteConnecting(Event event, AtomicReference<@Nullable StoreFault> refusal) {
    if (event instanceof ReconnectFailedEvent failed) {
      StoreFault fault = Faults.of(failed.getCause());
      // A refusal stays until a connection succeeds: a timeout after it is no outage.
      refusal.updateAndGet(before -> fault.isOutage() ? before : fault);
    } else if (event instanceof ConnectionActivatedEvent) {
      refusal.set(null);
    }
  }

  static void shutDown(RedisClient client, ClientResources resources) {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
