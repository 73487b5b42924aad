package io.weir.state.redis;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.throttle.StoreFault;
import io.weir.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The connections to Redis that decisions travel on: one, or one on each event loop of a server. Mutable; owned
 * by whoever opened them.
 */
public final class RedisConnections implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final int CONNECT_ATTEMPTS = 5;
  private static final Duration RECONNECT_DELAY = Duration.ofMillis(100);
  private static final Duration PROBE_LASTS = Duration.ofSeconds(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
  // Enough for one connection, whose channel has one thread for its life.
  private static final int THREADS = 2;
  // A Redis that hangs is not buried under what nobody waits for any more.
  private static final int MAX_QUEUED = 2000;

  private final List<Link> links;
  private final Duration commandTimeout;
  private final MemoryWatch memory;

  private RedisConnections(List<Link> links, Duration commandTimeout) {
    this.links = List.copyOf(links);
    this.commandTimeout = commandTimeout;
    this.memory = new MemoryWatch(links.get(0).connection(), links.get(0).eventLoop());
  }

  /**
   * Connects, with a thread of its own. From then on a lost connection is opened again every tenth of a second,
   * and what is asked meanwhile fails at once: a decision that waits for Redis is worth nothing.
   *
   * @param uri such as {@code redis://:password@host:6379/0}
   * @param commandTimeout after which an answer is no longer waited for
   * @throws IllegalArgumentException where the URI is none, see {@link RedisAddress#parse}
   * @throws StoreUnavailableException where nothing answers there
   */
  public static RedisConnections open(String uri, Duration commandTimeout) {
    return open(uri, commandTimeout, List.of(Optional.empty()));
  }

  /**
   * The same with a connection on each of these event loops: what is asked there is sent and answered there,
   * and no thread wakes another. They stay their owner's, must live longer than the connections, and be of the
   * transport that Lettuce chooses: the native one where it is on the class path, else that of the JDK.
   *
   * @param eventLoops at least one
   */
  public static RedisConnections open(
      String uri, Duration commandTimeout, Collection<EventLoop> eventLoops) {
    if (eventLoops.isEmpty()) {
      throw new IllegalArgumentException("eventLoops: none (expected: at least one)");
    }
    return open(uri, commandTimeout, eventLoops.stream().map(Optional::of).toList());
  }

  private static RedisConnections open(
      String uri, Duration commandTimeout, List<Optional<EventLoop>> eventLoops) {
    RedisURI address = lettuceUri(RedisAddress.parse(uri));
    List<Link> links = new ArrayList<>();
    try {
      for (Optional<EventLoop> eventLoop : eventLoops) {
        links.add(connected(address, commandTimeout, eventLoop));
      }
    } catch (RuntimeException e) {
      close(links);
      throw e instanceof RedisConnectionException
          ? new StoreUnavailableException(Faults.of(e), "no Redis to connect to: " + reason(e), e)
          : e;
    }
    return new RedisConnections(links, commandTimeout);
  }

  // The last cause says what can be mended: a wrong password, a refused connection.
  private static String reason(RuntimeException error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause == error
        ? String.valueOf(error.getMessage())
        : "%s (%s)".formatted(error.getMessage(), cause.getMessage());
  }

  private static Link connected(
      RedisURI address, Duration commandTimeout, Optional<EventLoop> given) {
    AtomicReference<EventLoop> used = new AtomicReference<>();
    ClientResources.Builder builder = ClientResources.builder()
        .nettyCustomizer(remember(used))
        .computationThreadPoolSize(THREADS)
        .reconnectDelay(Delay.constant(RECONNECT_DELAY));
    given.ifPresentOrElse(
        loop -> builder.eventLoopGroupProvider(new LentEventLoop(loop)),
        () -> builder.ioThreadPoolSize(THREADS));
    ClientResources resources = builder.build();
    AtomicReference<@Nullable StoreFault> refusal = new AtomicReference<>();
    Disposable events =
        resources.eventBus().get().subscribe(event -> Link.noteConnecting(event, refusal));
    RedisClient client = RedisClient.create(resources, address);
    client.setOptions(options(commandTimeout));
    try {
      StatefulRedisConnection<String, String> connection = connect(client);
      EventLoop eventLoop = requireNonNull(used.get(), "a connected channel has an event loop");
      return new Link(connection, eventLoop, client, resources, events, refusal);
    } catch (RuntimeException e) {
      events.dispose();
      Link.shutDown(client, resources);
      throw e;
    }
  }

  // Lettuce may see that it closed a connection before it sees why: then it is asked again.
  private static StatefulRedisConnection<String, String> connect(RedisClient client) {
    for (int attempt = 1; ; attempt++) {
      try {
        return client.connect();
      } catch (RedisConnectionException e) {
        if (attempt == CONNECT_ATTEMPTS || !reason(e).contains("closed prematurely")) {
          throw e;
        }
      }
    }
  }

  /** The first connection; it multiplexes all threads. */
  public StatefulRedisConnection<String, String> connection() {
    return links.get(0).connection();
  }

  List<Link> links() {
    return links;
  }

  MemoryWatch memory() {
    return memory;
  }

  /** After which an answer is no longer waited for. */
  Duration commandTimeout() {
    return commandTimeout;
  }

  /**
   * Asks Redis for nothing, on each connection; completes exceptionally with {@link StoreUnavailableException} where one
   * is not answered in time.
   */
  public CompletionStage<Void> ping() {
    return CompletableFuture.allOf(links.stream()
        .map(link -> link.named(link.connection().async().ping()))
        .toArray(CompletableFuture[]::new));
  }

  /** The same, and writes a key that soon expires: a Redis that is full, or a replica, takes none. */
  public CompletionStage<Void> probe() {
    Link first = links.get(0);
    return ping()
        .thenCompose(answered -> first.named(
            connection().async().set(RedisKeys.PROBE, "1", SetArgs.Builder.px(PROBE_LASTS))))
        .thenApply(written -> null);
  }

  /** Closes all, in a few seconds at most, also where an event loop hangs. */
  @Override
  public void close() {
    memory.close();
    close(links);
  }

  private static void close(List<Link> links) {
    CompletableFuture.allOf(links.stream().map(Link::closed).toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .handle((done, error) -> error == null)
        .join();
    links.forEach(Link::shutDown);
  }

  private static NettyCustomizer remember(AtomicReference<EventLoop> eventLoop) {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        eventLoop.compareAndSet(null, channel.eventLoop());
      }
    };
  }

  private static RedisURI lettuceUri(RedisAddress address) {
    RedisURI.Builder builder = RedisURI.builder()
        .withHost(address.host())
        .withPort(address.port())
        .withSsl(address.tls())
        .withDatabase(address.database());
    address
        .password()
        .ifPresent(password -> address
            .username()
            .ifPresentOrElse(
                username -> builder.withAuthentication(username, password),
                () -> builder.withPassword(password.toCharArray())));
    return builder.build();
  }

  private static ClientOptions options(Duration commandTimeout) {
    return ClientOptions.builder()
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        // What was sent before the connection broke may have been taken: it is not sent again.
        .replayFilter(command -> true)
        .requestQueueSize(MAX_QUEUED)
        .timeoutOptions(TimeoutOptions.enabled(commandTimeout))
        .socketOptions(SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).build())
        .build();
  }
}
