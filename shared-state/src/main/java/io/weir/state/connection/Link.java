package io.weir.state.connection;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.EventLoop;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * A connection, or one to each master of a Redis Cluster, and their event loop. If it is not connected yet, calls fail.
 * Safe for use by many threads.
 */
public final class Link {
  private static final long LOOK_AGAIN_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  // An early answer is worth more than one more replica.
  private static final long REPLICAS_WITHIN_MILLIS = 20;

  private final LinkClient client;
  private final Functions functions;
  private final EventLoop eventLoop;
  private final Disposable events;
  /** Why Redis refused the last attempt to connect; null where it did not. */
  private final AtomicReference<@Nullable StoreFault> refusal = new AtomicReference<>();

  private final AtomicLong lookedNanos = new AtomicLong(System.nanoTime() - LOOK_AGAIN_AFTER_NANOS);
  private final Silence silence = new Silence();
  private volatile @Nullable StatefulConnection<String, String> connection;

  private Link(LinkClient client, Functions functions, EventLoop eventLoop) {
    this.client = client;
    this.functions = functions;
    this.eventLoop = eventLoop;
    this.events = client.events(this::noteConnecting);
  }

  /** Connects. Fails as described in {@link RedisConnections#open}, with the client ended. */
  static Link connected(LinkClient client, Functions functions) {
    try {
      StatefulConnection<String, String> connection = client.connect();
      Link link = new Link(client, functions, client.eventLoop());
      link.connection = connection;
      return link;
    } catch (RuntimeException e) {
      client.shutDown();
      throw e;
    }
  }

  /** A link that connects when {@link #connect} is called. */
  static Link later(LinkClient client, Functions functions) {
    return new Link(client, functions, client.eventLoop());
  }

  /** Connects unless it is connected; blocks. */
  void connect() {
    if (connection != null) {
      return;
    }
    try {
      connection = client.connect();
      refusal.set(null);
    } catch (RuntimeException e) {
      StoreFault fault = Faults.of(e);
      refusal.updateAndGet(before -> fault.isOutage() ? before : fault);
      throw e;
    }
  }

  /** Marks the Redis as unusable: calls fail as without a connection, but it is no outage. */
  void refuse(StoreFault fault) {
    refusal.set(fault);
    StatefulConnection<String, String> made = connection;
    connection = null;
    if (made != null) {
      CompletableFuture<Void> unused = made.closeAsync();
    }
  }

  boolean isConnected() {
    return connection != null;
  }

  /** Whether Redis runs functions; the same for all links of {@link RedisConnections}. */
  public Functions functions() {
    return functions;
  }

  /** The event loop of the connection. */
  public EventLoop eventLoop() {
    return eventLoop;
  }

  /**
   * Sends a command and reports its end to the listener. If the address requires replicas to have the write, the report
   * comes after they have it, or after 20 ms.
   */
  public <T> void send(
      AsyncCommand<String, String, T> command,
      BiConsumer<? super @Nullable T, @Nullable Throwable> listener) {
    if (client.waitReplicas() == 0) {
      command.onComplete(listener);
      dispatch(command);
      return;
    }
    AsyncCommand<String, String, Long> wait = new AsyncCommand<>(new Command<>(
        CommandType.WAIT,
        new IntegerOutput<>(StringCodec.ASCII),
        new CommandArgs<>(StringCodec.ASCII)
            .add(client.waitReplicas())
            .add(REPLICAS_WITHIN_MILLIS)));
    // Redis answers in the order of the calls: the command has ended by then.
    wait.onComplete((replicas, error) -> command.onComplete(listener));
    dispatch(command);
    dispatch(wait);
  }

  private void dispatch(RedisCommand<String, String, ?> command) {
    StatefulConnection<String, String> made = connection;
    if (made == null) {
      command.completeExceptionally(notConnected());
      return;
    }
    try {
      made.dispatch(new TimedCommand<>(command, eventLoop));
    } catch (RuntimeException e) {
      command.completeExceptionally(e);
    }
  }

  /** Sends commands of the client; failures are {@link StoreUnavailableException}. */
  <T> CompletableFuture<T> ask(
      Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question) {
    try {
      return question
          .apply(commands())
          .whenComplete((answer, error) -> noteEnd(error))
          .exceptionallyCompose(error -> CompletableFuture.failedFuture(unavailable(error)))
          .toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(unavailable(e));
    }
  }

  /**
   * Hears a channel on a connection of its own, until this is closed; blocks. The listener is called on an event loop,
   * and must not block; messages are missed while the connection is lost. Fails with {@link StoreUnavailableException}.
   */
  public void listen(String channel, Consumer<String> listener) {
    try {
      client.listen(channel, listener);
    } catch (RuntimeException e) {
      throw unavailable(e);
    }
  }

  private void noteEnd(@Nullable Throwable error) {
    if (error == null) {
      answered();
    } else {
      failed(error);
    }
  }

  /** The INFO text of each master in this section. */
  CompletableFuture<List<String>> info(String section) {
    return ask(commands -> commands instanceof RedisAdvancedClusterAsyncCommands<String, String> all
        ? allOf(List.of(all.upstream().commands().info(section).futures()))
        : commands.info(section).thenApply(List::of));
  }

  private static CompletionStage<List<String>> allOf(List<CompletableFuture<String>> infos) {
    return CompletableFuture.allOf(infos.toArray(CompletableFuture[]::new))
        .thenApply(done -> infos.stream().map(CompletableFuture::join).toList());
  }

  private RedisClusterAsyncCommands<String, String> commands() {
    StatefulConnection<String, String> made = connection;
    if (made instanceof StatefulRedisClusterConnection<String, String> cluster) {
      return cluster.async();
    }
    if (made instanceof StatefulRedisConnection<String, String> single) {
      return single.async();
    }
    throw notConnected();
  }

  /** The same commands, synchronous. */
  RedisClusterCommands<String, String> sync() {
    StatefulConnection<String, String> made = connection;
    if (made instanceof StatefulRedisClusterConnection<String, String> cluster) {
      return cluster.sync();
    }
    if (made instanceof StatefulRedisConnection<String, String> single) {
      return single.sync();
    }
    throw notConnected();
  }

  /** Notes that Redis answered. */
  public void answered() {
    silence.end();
  }

  /** Records that a call failed: another Redis may be the master by now. */
  public void failed(Throwable error) {
    StoreFault fault = Faults.of(error);
    if (!fault.isOutage()) {
      return;
    }
    boolean isElsewhere = Faults.isReadOnly(error);
    long now = System.nanoTime();
    boolean isSilent = silence.isLong(now);
    long looked = lookedNanos.get();
    if (now - looked > LOOK_AGAIN_AFTER_NANOS && lookedNanos.compareAndSet(looked, now)) {
      client.lookAgain(isElsewhere || isSilent);
    }
  }

  /** The fault of an error; for a missing connection, the reason that Redis gave, if any. */
  public StoreFault fault(Throwable error) {
    StoreFault fault = client.isCluster() && Faults.isRedirect(error)
        ? StoreFault.UNREACHABLE // more of them than are followed: the cluster is changing
        : Faults.of(error);
    @Nullable StoreFault refused = refusal.get();
    return fault == StoreFault.UNREACHABLE && refused != null ? refused : fault;
  }

  /** The same as an exception of the store. */
  public StoreUnavailableException unavailable(Throwable error) {
    Throwable cause = Failures.cause(error);
    return new StoreUnavailableException(
        fault(cause), "Redis did not answer: " + Faults.message(cause), cause);
  }

  CompletableFuture<Void> closed() {
    events.dispose();
    StatefulConnection<String, String> made = connection;
    return made == null ? CompletableFuture.completedFuture(null) : made.closeAsync();
  }

  void shutDown() {
    client.shutDown();
  }

  private StoreUnavailableException notConnected() {
    return new StoreUnavailableException(
        StoreFault.UNREACHABLE, "no connection to Redis was made yet", null);
  }

  // A connection refused by Redis looks like a lost one; the reason is in the event of the attempt.
  private void noteConnecting(Event event) {
    if (event instanceof ReconnectFailedEvent failed) {
      // A refusal is kept until a connection succeeds: a timeout after it is no outage.
      Faults.known(failed.getCause()).filter(fault -> !fault.isOutage()).ifPresent(refusal::set);
    } else if (event instanceof ConnectionActivatedEvent) {
      refusal.set(null);
      answered(); // Redis has answered to connect
    }
  }
}
