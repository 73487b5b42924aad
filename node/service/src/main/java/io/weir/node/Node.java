package io.weir.node;

import io.netty.channel.EventLoop;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.config.NodeConfig;
import io.weir.node.extension.Capabilities;
import io.weir.node.extension.Extension;
import io.weir.node.intake.Acceptance;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.inspect.RedisLevels;
import io.weir.state.policy.NoPolicyException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node with all its parts. Mutable; owned by the code that started it, and ended by {@link #close}, which
 * lets requests in flight finish.
 */
public final class Node implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final Duration END_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(20);

  private final SharedState shared;
  private final Vertx vertx;
  private final NodeContext context;
  private final List<NodeVerticle> verticles = new CopyOnWriteArrayList<>();
  private final AtomicLong connections = new AtomicLong();

  private Node(SharedState shared, Vertx vertx, NodeContext context) {
    this.shared = shared;
    this.vertx = vertx;
    this.context = context;
  }

  /**
   * Starts a node and returns when it serves. Until then, its admin port, if it has one, shows what the node waits for.
   *
   * @throws StoreUnavailableException if Redis does not answer
   * @throws InvalidPolicyException if the policy is refused
   * @throws UncheckedIOException if the policy cannot be read or the port is taken
   */
  public static Node start(NodeConfig config) {
    Optional<String> seed = policyText(config);
    Capabilities capabilities = Capabilities.onClassPath();
    NodeMetrics metrics = new NodeMetrics();
    Tracing tracing = capabilities.traces().tracing(config);
    Acceptance acceptance = new Acceptance(
        config.running().connectionsOfLoop(),
        config.listening().operators(),
        metrics.connections());
    Vertx vertx =
        BlockedThreads.watched(config.running().eventLoops(), tracing, acceptance.transport());
    String openApi = OpenApi.of(described(capabilities));
    StartPort starting = orEnd(vertx, () -> StartPort.open(vertx, config, metrics, openApi));
    SharedState shared = orEnd(vertx, () -> {
      try {
        return SharedState.open(config, starting, seed, eventLoops(vertx), metrics, tracing);
      } catch (NoPolicyException e) {
        throw noPolicy(config.policy().file(), "Redis has none either", e);
      }
    });
    NodeContext context =
        new NodeAssembly(vertx, shared, metrics, tracing).assemble(capabilities, openApi);
    Node node = new Node(shared, vertx, context);
    node.begin(starting);
    return node;
  }

  private static <T> T orEnd(Vertx vertx, Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException e) {
      end(vertx);
      throw e;
    }
  }

  private void begin(StartPort starting) {
    WarmUp.of(shared.redis());
    context.parts().holds().start();
    starting.close();
    serve();
    watchBuckets();
    context.adminParts().watch().ifPresent(file -> file.start(context.metrics()));
  }

  private void watchBuckets() {
    RedisLevels levels = new RedisLevels(shared.connections());
    new BucketWatch(vertx, context.parts().policies(), levels, context.metrics().buckets()).start();
  }

  static List<Class<?>> described(Capabilities capabilities) {
    return Stream.concat(
            Stream.of(Node.class),
            capabilities.extensions().stream()
                .<Class<?>>map(Extension::getClass)
                .filter(OpenApi::isIn))
        .toList();
  }

  @Override
  public void close() {
    context.adminParts().readiness().stop();
    pause(context.parts().config().running().shutdownDelay());
    // Each verticle waits for its requests and calls; the timeout is for the whole node.
    Duration patience = context.parts().config().running().shutdownTimeout().plusSeconds(2);
    Future.all(vertx.deploymentIDs().stream().map(vertx::undeploy).toList())
        .toCompletionStage()
        .toCompletableFuture()
        .handle((done, error) -> done)
        .completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    try {
      shared.close();
    } finally {
      end(vertx);
    }
  }

  // Load balancers see that the node is not ready, and callers are asked to close their
  // connections.
  private static void pause(Duration delay) {
    new CompletableFuture<Void>()
        .completeOnTimeout(null, delay.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** For tests that watch the event loops. */
  public Vertx vertx() {
    return vertx;
  }

  private static void end(Vertx vertx) {
    vertx
        .close()
        .toCompletionStage()
        .toCompletableFuture()
        .completeOnTimeout(null, END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  // Decisions complete on the event loops that serve the requests.
  private static List<EventLoop> eventLoops(Vertx vertx) {
    List<EventLoop> loops = new ArrayList<>();
    ((VertxInternal) vertx).nettyEventLoopGroup().forEach(loop -> loops.add((EventLoop) loop));
    return loops;
  }

  /** The routes of its doors, as {@code get /path}. */
  Set<String> routes() {
    return verticles.get(0).routes();
  }

  private NodeVerticle verticle() {
    NodeVerticle made = new NodeVerticle(context, connections::incrementAndGet);
    verticles.add(made);
    return made;
  }

  private void serve() {
    NodeConfig config = context.parts().config();
    try {
      vertx
          .deployVerticle(
              this::verticle,
              new DeploymentOptions().setInstances(config.running().eventLoops()))
          .compose(serving -> Future.all(
              context.extensions().stream().map(it -> it.start(context.parts())).toList()))
          .toCompletionStage()
          .toCompletableFuture()
          .get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException | CompletionException e) {
      close();
      throw StartPort.taken("--port", config.listening().callers(), e);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the node started", e);
    }
  }

  // The file is needed where Redis has no policy, and by a node that follows it.
  private static Optional<String> policyText(NodeConfig config) {
    Path file = config.policy().file();
    try {
      String text = PolicyDocuments.text(file);
      PolicyDocuments.parse(file.toString(), text);
      return Optional.of(text);
    } catch (NoSuchFileException e) {
      if (config.policy().isWatched()) {
        throw noPolicy(file, "--policy-watch follows it", e);
      }
      LOG.info("there is no policy {}: that of Redis applies", file);
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read the policy %s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static UncheckedIOException noPolicy(Path file, String why, Exception cause) {
    return new UncheckedIOException(new IOException(
        "there is no policy %s, and %s (--policy names the file)".formatted(file, why), cause));
  }
}
