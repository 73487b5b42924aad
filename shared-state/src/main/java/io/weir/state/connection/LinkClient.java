package io.weir.state.connection;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.event.Event;
import io.lettuce.core.protocol.RedisHandshakeHandler;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.Transports;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.weir.state.connection.RedisAddress.Credentials;
import io.weir.state.connection.RedisAddress.Host;
import io.weir.state.connection.RedisAddress.Topology;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** Lettuce, set up to connect one {@link Link} to a Redis of any topology. Owned by that link. */
final class LinkClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final int CONNECT_ATTEMPTS = 5;
  private static final Duration RECONNECT_AT_FIRST = Duration.ofMillis(20);
  private static final Duration RECONNECT_AT_LAST = Duration.ofMillis(250);
  private static final Duration REFRESH_EVERY = Duration.ofSeconds(30);
  private static final int THREADS = 2;
  // A Redis that hangs must not get a queue of calls that have timed out.
  private static final int MAX_QUEUED = 2000;
  private static final int MAX_REDIRECTS = 3;

  private final int waitReplicas;
  private final ClientResources resources;
  private final AbstractRedisClient client;
  private final AtomicReference<@Nullable EventLoop> used = new AtomicReference<>();
  private final Set<EventLoopGroup> borrowed = ConcurrentHashMap.newKeySet();
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  /** How often a connection is tried that is not answered: a caller that waits longer for answers waits as long for it. */
  private final long unansweredAttempts;

  /** @param given the event loop of all connections; empty for a thread of its own */
  LinkClient(
      RedisAddress address, TlsMaterial tls, Duration commandTimeout, Optional<EventLoop> given) {
    waitReplicas = address.settings().waitReplicas();
    unansweredAttempts = Math.max(1, commandTimeout.dividedBy(CONNECT_TIMEOUT));
    given.ifPresent(used::set);
    ClientResources.Builder builder = ClientResources.builder()
        .nettyCustomizer(remember())
        .computationThreadPoolSize(THREADS)
        .reconnectDelay(
            Delay.equalJitter(RECONNECT_AT_FIRST, RECONNECT_AT_LAST, 1, TimeUnit.MILLISECONDS));
    given.ifPresentOrElse(
        loop -> builder.eventLoopGroupProvider(new SharedEventLoop(loop)),
        () -> builder.eventLoopGroupProvider(new DefaultEventLoopGroupProvider(1)));
    this.resources = builder.build();
    if (address.servers().topology() == Topology.CLUSTER) {
      RedisClusterClient made = RedisClusterClient.create(
          resources,
          address.servers().hosts().stream().map(host -> uri(address, host)).toList());
      made.setOptions(clusterOptions(tls, commandTimeout));
      this.client = made;
    } else {
      RedisClient made = RedisClient.create(resources, uri(address));
      made.setOptions(options(ClientOptions.builder(), tls, commandTimeout).build());
      this.client = made;
    }
  }

  /** Connects; blocks. */
  StatefulConnection<String, String> connect() {
    for (int attempt = 1; ; attempt++) {
      try {
        return client instanceof RedisClusterClient cluster
            ? cluster.connect()
            : ((RedisClient) client).connect();
      } catch (RedisConnectionException e) {
        if (attempt >= attempts(e)) {
          throw e;
        }
      }
    }
  }

  private long attempts(RedisConnectionException error) {
    if (Faults.isClosedEarly(error)) {
      return CONNECT_ATTEMPTS;
    }
    return Faults.isUnanswered(error) ? unansweredAttempts : 1;
  }

  /** Opens a connection of its own that hears a channel, also after it was lost; blocks. */
  void listen(String channel, Consumer<String> listener) {
    StatefulRedisPubSubConnection<String, String> subscription =
        client instanceof RedisClusterClient cluster
            ? cluster.connectPubSub()
            : ((RedisClient) client).connectPubSub();
    subscription.addListener(new RedisPubSubAdapter<>() {
      @Override
      public void message(String from, String text) {
        listener.accept(text);
      }
    });
    try {
      subscription.sync().subscribe(channel);
    } catch (RuntimeException e) {
      subscription.close();
      throw e;
    }
  }

  /** The event loop of the connections: the given one, or the only one of this client. */
  EventLoop eventLoop() {
    EventLoop known = used.get();
    if (known == null) {
      EventLoopGroup group =
          resources.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());
      borrowed.add(group);
      used.compareAndSet(null, group.next());
    }
    return requireNonNull(used.get());
  }

  /** See {@link RedisAddress.Settings#waitReplicas}. */
  int waitReplicas() {
    return waitReplicas;
  }

  boolean isCluster() {
    return client instanceof RedisClusterClient;
  }

  /** Passes events of the connections to {@code listener}. */
  Disposable events(Consumer<Event> listener) {
    return resources.eventBus().get().subscribe(listener);
  }

  /**
   * Finds the master, or the masters, again.
   *
   * @param isLost whether the connections are lost; those of a Cluster follow its redirections
   */
  void lookAgain(boolean isLost) {
    if (client instanceof RedisClusterClient cluster) {
      CompletionStage<Void> unused = cluster.refreshPartitionsAsync();
    } else if (isLost) {
      // Lettuce reconnects, and asks names and Sentinels for the address.
      for (Channel channel : channels) {
        if (isMade(channel)) {
          var unused = channel.close();
        }
      }
    }
  }

  // One that is being made is left to Lettuce, which gives it up after CONNECT_TIMEOUT: if it were
  // closed here, a slow Redis would never be connected again.
  private static boolean isMade(Channel channel) {
    RedisHandshakeHandler handshake = channel.pipeline().get(RedisHandshakeHandler.class);
    return handshake == null
        || handshake.channelInitialized().toCompletableFuture().isDone();
  }

  void shutDown() {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    for (EventLoopGroup group : borrowed) {
      var unused = resources.eventLoopGroupProvider().release(group, 0, 1, TimeUnit.SECONDS);
    }
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  // The last cause is the one to mend: a wrong password, a refused connection.
  static String innermost(Throwable error) {
    Throwable cause = root(error);
    return cause == error
        ? Faults.message(error)
        : "%s (%s)".formatted(Faults.message(error), Faults.message(cause));
  }

  /** The last cause of an error; itself where it has none. */
  static Throwable root(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private NettyCustomizer remember() {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        used.compareAndSet(null, channel.eventLoop());
        channels.add(channel);
        channel.closeFuture().addListener(closed -> channels.remove(channel));
      }
    };
  }

  private static RedisURI uri(RedisAddress address) {
    if (address.servers().topology() == Topology.SINGLE) {
      return uri(address, address.servers().hosts().get(0));
    }
    RedisURI uri = new RedisURI();
    uri.setTimeout(CONNECT_TIMEOUT);
    uri.setSsl(address.tls());
    uri.setDatabase(address.database());
    uri.setClientName(address.settings().clientName());
    uri.setSentinelMasterId(address.servers().master());
    authenticate(uri, address.credentials());
    for (Host host : address.servers().hosts()) {
      RedisURI sentinel = RedisURI.create(host.name(), host.port());
      sentinel.setTimeout(CONNECT_TIMEOUT);
      sentinel.setSsl(address.tls());
      authenticate(sentinel, address.servers().sentinelCredentials());
      uri.getSentinels().add(sentinel);
    }
    return uri;
  }

  private static RedisURI uri(RedisAddress address, Host host) {
    RedisURI uri = RedisURI.create(host.name(), host.port());
    uri.setTimeout(CONNECT_TIMEOUT);
    uri.setSsl(address.tls());
    uri.setDatabase(address.database());
    uri.setClientName(address.settings().clientName());
    authenticate(uri, address.credentials());
    return uri;
  }

  private static void authenticate(RedisURI uri, Credentials credentials) {
    credentials
        .password()
        .ifPresent(password -> uri.setCredentialsProvider(new StaticCredentialsProvider(
            RedisCredentials.just(credentials.username().orElse(null), password.toCharArray()))));
  }

  private static ClusterClientOptions clusterOptions(TlsMaterial tls, Duration commandTimeout) {
    ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
        .enablePeriodicRefresh(REFRESH_EVERY)
        .adaptiveRefreshTriggersTimeout(RECONNECT_AT_LAST)
        .build();
    ClusterClientOptions.Builder builder = ClusterClientOptions.builder()
        .topologyRefreshOptions(refresh)
        .maxRedirects(MAX_REDIRECTS)
        .validateClusterNodeMembership(false);
    options(builder, tls, commandTimeout);
    return builder.build();
  }

  private static ClientOptions.Builder options(
      ClientOptions.Builder builder, TlsMaterial tls, Duration commandTimeout) {
    SslOptions.Builder ssl = SslOptions.builder();
    tls.trust().ifPresent(ssl::trustManager);
    tls.shown().ifPresent(ssl::keyManager);
    return builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        // A command sent before the connection broke may have been executed: it is not sent again.
        .replayFilter(command -> true)
        .requestQueueSize(MAX_QUEUED)
        .sslOptions(ssl.build())
        .timeoutOptions(TimeoutOptions.enabled(commandTimeout))
        .socketOptions(SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).build());
  }
}
