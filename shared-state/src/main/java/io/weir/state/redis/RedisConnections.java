package io.weir.state.redis;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.weir.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The connection to Redis that decisions travel on. Mutable; owned by whoever opened it. */
public final class RedisConnections implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration RECONNECT_DELAY = Duration.ofMillis(100);
  // Enough for one connection, whose channel has one thread for its life.
  private static final int IO_THREADS = 2;
  // A Redis that hangs is not buried under what nobody waits for any more.
  private static final int MAX_QUEUED = 2000;

  private final ClientResources resources;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final EventLoop eventLoop;
  private final Duration commandTimeout;

  private RedisConnections(
      ClientResources resources,
      RedisClient client,
      Duration commandTimeout,
      AtomicReference<EventLoop> eventLoop) {
    this.resources = resources;
    this.client = client;
    this.commandTimeout = commandTimeout;
    this.connection = client.connect();
    this.eventLoop = requireNonNull(eventLoop.get(), "a connected channel has an event loop");
  }

  /**
   * Connects. From then on a lost connection is opened again every tenth of a second, and what is asked
   * meanwhile fails at once: a decision that waits for Redis is worth nothing.
   *
   * @param uri such as {@code redis://:password@host:6379/0}
   * @param commandTimeout after which an answer is no longer waited for
   * @throws IllegalArgumentException where the URI is none, see {@link RedisAddress#parse}
   * @throws StoreUnavailableException where nothing answers there
   */
  public static RedisConnections open(String uri, Duration commandTimeout) {
    RedisURI address = lettuceUri(RedisAddress.parse(uri));
    AtomicReference<EventLoop> eventLoop = new AtomicReference<>();
    ClientResources resources = ClientResources.builder()
        .nettyCustomizer(remember(eventLoop))
        .ioThreadPoolSize(IO_THREADS)
        .computationThreadPoolSize(IO_THREADS)
        .reconnectDelay(Delay.constant(RECONNECT_DELAY))
        .build();
    RedisClient client = RedisClient.create(resources, address);
    client.setOptions(options(commandTimeout));
    try {
      return new RedisConnections(resources, client, commandTimeout, eventLoop);
    } catch (RedisConnectionException e) {
      shutdown(client, resources);
      throw new StoreUnavailableException("no Redis to connect to: " + e.getMessage(), e);
    }
  }

  /** The one connection; it multiplexes all threads. */
  public StatefulRedisConnection<String, String> connection() {
    return connection;
  }

  /** After which an answer is no longer waited for. */
  Duration commandTimeout() {
    return commandTimeout;
  }

  /** The event loop on which the connection was made. */
  EventLoop eventLoop() {
    return eventLoop;
  }

  /** Asks Redis for nothing; completes exceptionally where it does not answer in time. */
  public CompletionStage<String> ping() {
    return connection.async().ping();
  }

  @Override
  public void close() {
    connection.close();
    shutdown(client, resources);
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

  private static void shutdown(RedisClient client, ClientResources resources) {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
