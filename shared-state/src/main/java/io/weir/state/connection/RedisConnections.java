package io.weir.state.connection;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.netty.channel.EventLoop;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisAddress.Topology;
import io.weir.state.wire.ExtensionPartition;
import io.weir.state.wire.Partition;
import io.weir.state.wire.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to Redis for decisions: one, or one on each event loop of a server; to a Redis Cluster, one to each
 * master for each of these. Mutable; owned by the code that opened them.
 */
public final class RedisConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RedisConnections.class);
  private static final Duration PROBE_LASTS = Duration.ofSeconds(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
  private static final long CONNECT_AGAIN_MILLIS = 500;

  private final List<Link> links;
  private final RedisAddress address;
  private final Duration commandTimeout;
  private final Returns returns = new Returns();
  private final MemoryWatch memory;
  private @Nullable ScheduledExecutorService connecting;

  private RedisConnections(RedisAddress address, List<Link> links, Duration commandTimeout) {
    this.links = List.copyOf(links);
    this.address = address;
    this.commandTimeout = commandTimeout;
    this.memory = new MemoryWatch(links.get(0));
  }

  /**
   * Connects, with a thread of its own. From then on a lost connection is opened again, at first at once and later four
   * times a second; calls fail at once meanwhile, because a decision that waits for Redis is of no use.
   *
   * @param uri see {@link RedisAddress#parse}
   * @param commandTimeout the longest wait for an answer
   * @throws IllegalArgumentException if the URI, or a file that it names, is invalid
   * @throws StoreUnavailableException if Redis does not answer, or forgets limits, or is a node of a Redis Cluster and
   *     the URI does not say so
   */
  public static RedisConnections open(String uri, Duration commandTimeout) {
    return open(uri, commandTimeout, List.of(Optional.empty()));
  }

  /**
   * The same with a connection on each of these event loops: calls of a loop are sent and answered on it, and no thread
   * wakes another. The loops stay their owner's, must outlive the connections, and must use the transport that Lettuce
   * chooses: the native one if it is on the class path, else that of the JDK.
   *
   * @param eventLoops at least one
   */
  public static RedisConnections open(
      String uri, Duration commandTimeout, Collection<EventLoop> eventLoops) {
    return open(uri, commandTimeout, given(eventLoops));
  }

  /** The same, also if Redis does not answer yet: a thread of its own tries again twice a second. */
  static RedisConnections openLater(
      String uri, Duration commandTimeout, Collection<EventLoop> eventLoops) {
    return openLater(uri, commandTimeout, given(eventLoops));
  }

  /** The same with a thread of its own, as {@link #open(String, Duration)}. */
  static RedisConnections openLater(String uri, Duration commandTimeout) {
    return openLater(uri, commandTimeout, List.of(Optional.empty()));
  }

  private static RedisConnections openLater(
      String uri, Duration commandTimeout, List<Optional<EventLoop>> eventLoops) {
    RedisAddress address = RedisAddress.parse(uri);
    TlsMaterial tls = TlsMaterial.read(address.tlsFiles());
    Functions functions = new Functions(address.settings().usesFunctions());
    List<Link> links = eventLoops.stream()
        .map(loop -> Link.later(new LinkClient(address, tls, commandTimeout, loop), functions))
        .toList();
    RedisConnections connections = new RedisConnections(address, links, commandTimeout);
    connections.connectInTheEnd();
    return connections;
  }

  private static List<Optional<EventLoop>> given(Collection<EventLoop> eventLoops) {
    if (eventLoops.isEmpty()) {
      throw new IllegalArgumentException("eventLoops: none (expected: at least one)");
    }
    return eventLoops.stream().map(Optional::of).toList();
  }

  private static RedisConnections open(
      String uri, Duration commandTimeout, List<Optional<EventLoop>> eventLoops) {
    RedisAddress address = RedisAddress.parse(uri);
    TlsMaterial tls = TlsMaterial.read(address.tlsFiles());
    Functions functions = new Functions(address.settings().usesFunctions());
    List<Link> links = new ArrayList<>();
    try {
      for (Optional<EventLoop> eventLoop : eventLoops) {
        links.add(
            Link.connected(new LinkClient(address, tls, commandTimeout, eventLoop), functions));
      }
      RedisCheck.requireUsable(address, links.get(0));
    } catch (RuntimeException e) {
      close(links);
      throw e instanceof RedisConnectionException ? notConnected(e) : e;
    }
    return new RedisConnections(address, links, commandTimeout);
  }

  private static StoreUnavailableException notConnected(RuntimeException error) {
    return new StoreUnavailableException(
        Faults.of(error), "no Redis to connect to: " + LinkClient.innermost(error), error);
  }

  private void connectInTheEnd() {
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
      Thread thread = new Thread(task, "weir-connecting");
      thread.setDaemon(true);
      return thread;
    });
    connecting = executor;
    var unused = executor.scheduleWithFixedDelay(
        () -> {
          if (areConnected()) {
            executor.shutdown();
          }
        },
        0,
        CONNECT_AGAIN_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  private boolean areConnected() {
    try {
      links.forEach(Link::connect);
      RedisCheck.requireUsable(address, links.get(0));
      return true;
    } catch (StoreUnavailableException e) {
      LOG.error("{}", e.getMessage());
      links.forEach(link -> link.refuse(e.fault()));
    } catch (RuntimeException e) {
      LOG.info("no Redis to connect to yet: {}", LinkClient.innermost(e));
    }
    return false;
  }

  /** Synchronous commands, on the first connection. */
  public RedisClusterCommands<String, String> sync() {
    return links.get(0).sync();
  }

  /** Sends commands on the first connection; failures are {@link StoreUnavailableException}. */
  public <T> CompletableFuture<T> ask(
      Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question) {
    return links.get(0).ask(question);
  }

  /** Runs a task later on the event loop of the first connection, which must not be blocked. */
  public ScheduledFuture<?> later(Runnable task, Duration delay) {
    return links.get(0).eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Whether Redis runs functions. */
  public Functions functions() {
    return links.get(0).functions();
  }

  /** All connections, in the order of the event loops; at least one, and always the same. */
  public List<Link> links() {
    return links;
  }

  /** The watch of Redis's memory; it ends with these connections. */
  public MemoryWatch memory() {
    return memory;
  }

  /** The record of returned permits and reservations, shared by all users of these connections. */
  public Returns returns() {
    return returns;
  }

  /** The longest wait for an answer. */
  public Duration commandTimeout() {
    return commandTimeout;
  }

  /** The number of parts that may be away separately: 1, or {@link Partition#COUNT} of a Redis Cluster. */
  public int parts() {
    return address.servers().topology() == Topology.CLUSTER ? Partition.COUNT : 1;
  }

  /** The number of parts of what extensions keep: 1, or {@link ExtensionPartition#COUNT} of a Redis Cluster. */
  public int extensionParts() {
    return parts() == 1 ? 1 : ExtensionPartition.COUNT;
  }

  /** The part, of {@link #parts}, with the buckets of a tenant and its keys. */
  public int partOf(String tenant) {
    return parts() == 1 ? 0 : Partition.of(tenant);
  }

  /** The key that has the newest revision of the policy, for calls to a part. */
  public String policyOf(int part) {
    return parts() == 1 ? RedisKeys.POLICY : RedisKeys.policyOf(part);
  }

  /**
   * Probes a part: reads on each connection, then writes a key that soon expires, because a Redis that is full, or a
   * replica, accepts no writes. Completes exceptionally with {@link StoreUnavailableException} if a call is not
   * answered in time.
   */
  public CompletionStage<Void> probe(int part) {
    String key = parts() == 1 ? RedisKeys.PROBE : RedisKeys.probeOf(part);
    return CompletableFuture.allOf(links.stream()
            .map(link -> link.ask(commands -> commands.exists(key)))
            .toArray(CompletableFuture[]::new))
        .thenCompose(
            answered -> ask(commands -> commands.set(key, "1", SetArgs.Builder.px(PROBE_LASTS))))
        .thenApply(written -> null);
  }

  /** The same for a random part. */
  public CompletionStage<Void> probe() {
    return probe(ThreadLocalRandom.current().nextInt(parts()));
  }

  /** Closes all, within a few seconds, even if an event loop hangs. */
  @Override
  public void close() {
    if (connecting != null) {
      connecting.shutdownNow();
    }
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
}
