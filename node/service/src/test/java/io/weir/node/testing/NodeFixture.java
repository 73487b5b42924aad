package io.weir.node.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.Node;
import io.weir.node.NodeView;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.NodeConfig.PolicyFile;
import io.weir.node.config.NodeConfig.Running;
import io.weir.node.config.NodeConfig.Tokens;
import io.weir.node.config.Reports;
import io.weir.node.config.ServicePort;
import io.weir.node.config.Tls;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node in this process, with a database and an upstream of its own. Owned by one test class. */
public final class NodeFixture implements AutoCloseable {
  public static final String ADMIN = "admin-token-of-the-tests";
  public static final String SERVICE = "service-token-of-the-tests";

  // However slow the machine is.
  private static final int LOOPS = 2;
  private static final int CONNECTIONS = 10_000;
  private static final Duration START_WAIT = Duration.ofMinutes(1);
  private static final int FIRST_BYTE_MILLIS = 60_000;
  private static final Duration OUTAGE_TIMEOUT = Duration.ofMillis(500);
  // No outage is tested: a machine with much other work must not look like one.
  private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(5);

  private final Vertx vertx = Vertx.vertx();
  private final Map<String, Consumer<HttpServerRequest>> upstreamPaths = new ConcurrentHashMap<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path policyFile;
  private final int port;
  private final int upstreamPort;
  private final Setup setup;
  private @Nullable Node node;
  private @Nullable StallWatch stalls;

  /**
   * The Redis of a node.
   *
   * @param timeout how long the node waits for an answer
   * @param end what happens after the node
   */
  private record Redis(String uri, Duration timeout, Runnable end) {
    static Redis shared() {
      RedisDatabase database = RedisDatabase.open();
      return new Redis(database.uri(), BUSY_TIMEOUT, database::close);
    }

    static Redis ofTest(String uri, Duration timeout) {
      return new Redis(uri, timeout, () -> {});
    }
  }

  /** The settings of a node. Mutable; owned by the factory of one fixture. */
  private static final class Setup {
    private final Redis redis;
    private FailureMode failureMode = FailureMode.DENY;
    private Duration shutdownDelay = Duration.ZERO;
    private OptionalInt adminPort = OptionalInt.empty();
    private Optional<Tls> tls = Optional.empty();
    private Map<ServicePort, Address> services = Map.of();
    private boolean watchesPolicy;
    private Reports reports = Reports.NONE;
    private int connections = CONNECTIONS;

    Setup(Redis redis) {
      this.redis = redis;
    }

    static Setup of(FailureMode failureMode, Duration shutdownDelay) {
      Setup setup = new Setup(Redis.shared());
      setup.failureMode = failureMode;
      setup.shutdownDelay = shutdownDelay;
      return setup;
    }
  }

  /** @param policy its text; {@code UPSTREAM} in it is replaced by the upstream's port */
  public NodeFixture(String policy, FailureMode failureMode) {
    this(policy, failureMode, Duration.ZERO);
  }

  /** @param shutdownDelay how long the node still serves when it stops */
  public NodeFixture(String policy, FailureMode failureMode, Duration shutdownDelay) {
    this(Setup.of(failureMode, shutdownDelay), policy);
  }

  /** A node with an admin port. */
  public static NodeFixture withAdminPort(String policy) {
    return with(Redis.shared(), policy, setup -> setup.adminPort = OptionalInt.of(FreePorts.one()));
  }

  /** A node with a Redis of its own, which a test may configure. */
  public static NodeFixture withOwnRedis(String policy, FailureMode failureMode) {
    RedisProcess redis = RedisProcess.start();
    return with(
        new Redis(redis.uri(), BUSY_TIMEOUT, redis::close),
        policy,
        setup -> setup.failureMode = failureMode);
  }

  /** The same with a Redis that the test started, and ends after the node. */
  public static NodeFixture at(String redisUri, String policy, FailureMode failureMode) {
    return with(
        Redis.ofTest(redisUri, BUSY_TIMEOUT), policy, setup -> setup.failureMode = failureMode);
  }

  /** The same for a test in which that Redis goes away: the node waits 500 ms for an answer. */
  public static NodeFixture losing(String redisUri, String policy, FailureMode failureMode) {
    return with(
        Redis.ofTest(redisUri, OUTAGE_TIMEOUT), policy, setup -> setup.failureMode = failureMode);
  }

  /** A node whose port for callers has TLS. */
  public static NodeFixture withTls(String policy, Tls tls) {
    return with(Redis.shared(), policy, setup -> setup.tls = Optional.of(tls));
  }

  /** A node at a Redis of the test that tells others something of its own accord. */
  public static NodeFixture reporting(String redisUri, String policy, Reports reports) {
    return with(Redis.ofTest(redisUri, BUSY_TIMEOUT), policy, setup -> {
      setup.adminPort = OptionalInt.of(FreePorts.one());
      setup.reports = reports;
    });
  }

  /** A node with a port for clients of the Redis protocol. */
  public static NodeFixture withResp(String policy, int respPort) {
    return withResp(policy, respPort, Optional.empty());
  }

  /** The same with TLS. */
  public static NodeFixture withResp(String policy, int respPort, Optional<Tls> tls) {
    return with(ServicePort.RESP, Redis.shared(), policy, respPort, tls);
  }

  /** A node with a port for Envoy. */
  public static NodeFixture withEnvoy(String policy, int envoyPort, Optional<Tls> tls) {
    return with(ServicePort.ENVOY, Redis.shared(), policy, envoyPort, tls);
  }

  /** The same at a Redis of the test that goes away, see {@link #losing}. */
  public static NodeFixture withEnvoyLosing(String redisUri, String policy, int envoyPort) {
    Redis redis = Redis.ofTest(redisUri, OUTAGE_TIMEOUT);
    return with(ServicePort.ENVOY, redis, policy, envoyPort, Optional.empty());
  }

  /** A node that has all ports, and so many open connections on each event loop. */
  public static NodeFixture withConnections(
      String policy, int ofLoop, Map<ServicePort, Address> services, Optional<Tls> tls) {
    return with(Redis.shared(), policy, setup -> {
      setup.tls = tls;
      setup.services = services;
      setup.connections = LOOPS * ofLoop;
    });
  }

  /** A node that follows changes of its policy file. */
  public static NodeFixture watching(String policy) {
    return with(Redis.shared(), policy, setup -> setup.watchesPolicy = true);
  }

  private static NodeFixture with(
      ServicePort service, Redis redis, String policy, int port, Optional<Tls> tls) {
    return with(redis, policy, setup -> {
      setup.services = Map.of(service, new Address("127.0.0.1", port));
      setup.tls = tls;
    });
  }

  private static NodeFixture with(Redis redis, String policy, Consumer<Setup> change) {
    Setup setup = new Setup(redis);
    change.accept(setup);
    return new NodeFixture(setup, policy);
  }

  private NodeFixture(Setup setup, String policy) {
    this.setup = setup;
    try {
      upstreamPort = vertx
          .createHttpServer()
          .requestHandler(this::upstream)
          .listen(0, "127.0.0.1")
          .toCompletionStage()
          .toCompletableFuture()
          .join()
          .actualPort();
      policyFile = Files.createTempFile("weir-policy", ".yaml");
      String mode =
          "failureMode: %s%n".formatted(setup.failureMode.name().toLowerCase(Locale.ROOT));
      Files.writeString(
          policyFile, mode + policy.replace("UPSTREAM", Integer.toString(upstreamPort)));
      port = FreePorts.one();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      start(setup.shutdownDelay);
    } catch (RuntimeException e) {
      setup.redis.end().run(); // nobody closes a fixture that has not started
      throw e;
    }
  }

  /** Sets the upstream's answer for a path. */
  public void upstreamAnswers(String path, Consumer<HttpServerRequest> answer) {
    upstreamPaths.put(path, answer);
  }

  public String redisUri() {
    return setup.redis.uri();
  }

  /** The policy file that the node was started with. */
  public Path policyFile() {
    return policyFile;
  }

  public int upstreamPort() {
    return upstreamPort;
  }

  public Node node() {
    return Objects.requireNonNull(node);
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  /** A URI on the admin port. */
  public URI adminUri(String path) {
    return URI.create("http://127.0.0.1:" + setup.adminPort.orElse(port) + path);
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(
          request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public HttpResponse<String> get(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  public HttpResponse<String> post(String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofString(body));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  public HttpResponse<String> put(String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).PUT(HttpRequest.BodyPublishers.ofString(body));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  /** A connection to the node; the test closes it. */
  public Socket connect() {
    try {
      return new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes text to a connection. */
  public static void write(Socket socket, String text) {
    try {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads until the node closes the connection, or nothing has arrived for the timeout. */
  public static String read(Socket socket, int timeoutMillis) {
    try {
      socket.setSoTimeout(timeoutMillis);
      return readAll(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends bytes that an HTTP client would not send, and reads until the node closes the connection or has answered. */
  public String raw(String request) {
    try (Socket socket = connect()) {
      write(socket, request);
      socket.setSoTimeout(FIRST_BYTE_MILLIS);
      int first = socket.getInputStream().read();
      return first < 0 ? "" : (char) first + read(socket, 3000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String readAll(InputStream in) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try {
      in.transferTo(read);
    } catch (SocketTimeoutException e) {
      // The node waits for more: the answer is complete.
    }
    return read.toString(StandardCharsets.ISO_8859_1);
  }

  public static JsonObject json(HttpResponse<String> response) {
    return new JsonObject(response.body());
  }

  /** Ends the node, until {@link #startAgain}. */
  public void stop() {
    node().close();
    node = null;
    assertThat(Objects.requireNonNull(stalls).stalls())
        .as("event loops that computed for too long")
        .isEmpty();
  }

  /** Starts another node at the ports of the one that was stopped. */
  public void startAgain() {
    start(Duration.ZERO);
  }

  @Override
  public void close() {
    if (node != null) {
      stop();
    }
    vertx
        .close()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
    setup.redis.end().run();
    try {
      Files.deleteIfExists(policyFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void start(Duration shutdownDelay) {
    node = Node.start(new NodeConfig(
        new Listening(
            new Address("127.0.0.1", port),
            setup.adminPort.stream()
                .mapToObj(own -> new Address("127.0.0.1", own))
                .findFirst(),
            setup.services,
            setup.tls,
            List.of("https://app.example.com")),
        new NodeConfig.Redis(setup.redis.uri(), setup.redis.timeout(), START_WAIT),
        new PolicyFile(policyFile, Optional.empty(), setup.watchesPolicy),
        new Tokens(Optional.of(SERVICE), Optional.of(ADMIN)),
        new Running(LOOPS, setup.connections, shutdownDelay, Duration.ofSeconds(10)),
        setup.reports));
    stalls = StallWatch.of(NodeView.vertx(node));
  }

  private void upstream(HttpServerRequest request) {
    Consumer<HttpServerRequest> special = upstreamPaths.get(request.path());
    if (special != null) {
      special.accept(request);
      return;
    }
    request.body().onSuccess(body -> {
      JsonObject headers = new JsonObject();
      request.headers().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
      request
          .response()
          .putHeader("X-From-Upstream", "yes")
          .putHeader("Connection", "X-Hop")
          .putHeader("X-Hop", "dropped")
          .end(new JsonObject()
              .put("method", request.method().name())
              .put("uri", request.uri())
              .put("headers", headers)
              .put("body", body.toString())
              .toBuffer());
    });
  }
}
