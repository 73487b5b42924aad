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

  private final Redis redis;
  private final Vertx vertx = Vertx.vertx();
  private final Map<String, Consumer<HttpServerRequest>> upstreamPaths = new ConcurrentHashMap<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path policyFile;
  private final int port;
  private final int upstreamPort;
  private final OptionalInt adminPort;
  private final Extras extras;
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
  }

  /** @param policy its text; {@code UPSTREAM} in it is replaced by the upstream's port */
  public NodeFixture(String policy, FailureMode failureMode) {
    this(policy, failureMode, Duration.ZERO);
  }

  /** @param shutdownDelay how long the node still serves when it stops */
  public NodeFixture(String policy, FailureMode failureMode, Duration shutdownDelay) {
    this(Redis.shared(), policy, failureMode, shutdownDelay, OptionalInt.empty());
  }

  /** A node with an admin port. */
  public static NodeFixture withAdminPort(String policy) {
    return new NodeFixture(
        Redis.shared(), policy, FailureMode.DENY, Duration.ZERO, OptionalInt.of(FreePorts.one()));
  }

  /** A node with a Redis of its own, which a test may configure. */
  public static NodeFixture withOwnRedis(String policy, FailureMode failureMode) {
    RedisProcess redis = RedisProcess.start();
    return new NodeFixture(
        new Redis(redis.uri(), BUSY_TIMEOUT, redis::close),
        policy,
        failureMode,
        Duration.ZERO,
        OptionalInt.empty());
  }

  /** The same with a Redis that the test started, and ends after the node. */
  public static NodeFixture at(String redisUri, String policy, FailureMode failureMode) {
    return at(redisUri, BUSY_TIMEOUT, policy, failureMode);
  }

  /** The same for a test in which that Redis goes away: the node waits 500 ms for an answer. */
  public static NodeFixture losing(String redisUri, String policy, FailureMode failureMode) {
    return at(redisUri, OUTAGE_TIMEOUT, policy, failureMode);
  }

  private static NodeFixture at(
      String redisUri, Duration timeout, String policy, FailureMode failureMode) {
    return new NodeFixture(
        new Redis(redisUri, timeout, () -> {}),
        policy,
        failureMode,
        Duration.ZERO,
        OptionalInt.empty());
  }

  /** A node whose port for callers has TLS. */
  public static NodeFixture withTls(String policy, Tls tls) {
    return new NodeFixture(
        Redis.shared(),
        policy,
        FailureMode.DENY,
        Duration.ZERO,
        OptionalInt.empty(),
        new Extras(Optional.of(tls), Map.of(), false, Reports.NONE));
  }

  /** A node at a Redis of the test that tells others something of its own accord. */
  public static NodeFixture reporting(String redisUri, String policy, Reports reports) {
    return new NodeFixture(
        new Redis(redisUri, BUSY_TIMEOUT, () -> {}),
        policy,
        FailureMode.DENY,
        Duration.ZERO,
        OptionalInt.of(FreePorts.one()),
        new Extras(Optional.empty(), Map.of(), false, reports));
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
    Redis redis = new Redis(redisUri, OUTAGE_TIMEOUT, () -> {});
    return with(ServicePort.ENVOY, redis, policy, envoyPort, Optional.empty());
  }

  /** A node that has all ports, and so many open connections on each event loop. */
  public static NodeFixture withConnections(
      String policy, int ofLoop, Map<ServicePort, Address> services, Optional<Tls> tls) {
    return new NodeFixture(
        Redis.shared(),
        policy,
        FailureMode.DENY,
        Duration.ZERO,
        OptionalInt.empty(),
        new Extras(tls, services, false, Reports.NONE, LOOPS * ofLoop));
  }

  private static NodeFixture with(
      ServicePort service, Redis redis, String policy, int port, Optional<Tls> tls) {
    return new NodeFixture(
        redis,
        policy,
        FailureMode.DENY,
        Duration.ZERO,
        OptionalInt.empty(),
        new Extras(tls, Map.of(service, new Address("127.0.0.1", port)), false, Reports.NONE));
  }

  /** A node that follows changes of its policy file. */
  public static NodeFixture watching(String policy) {
    return new NodeFixture(
        Redis.shared(),
        policy,
        FailureMode.DENY,
        Duration.ZERO,
        OptionalInt.empty(),
        new Extras(Optional.empty(), Map.of(), true, Reports.NONE));
  }

  private record Extras(
      Optional<Tls> tls,
      Map<ServicePort, Address> services,
      boolean watchesPolicy,
      Reports reports,
      int connections) {
    static final Extras NONE = new Extras(Optional.empty(), Map.of(), false, Reports.NONE);

    Extras(
        Optional<Tls> tls,
        Map<ServicePort, Address> services,
        boolean watchesPolicy,
        Reports reports) {
      this(tls, services, watchesPolicy, reports, CONNECTIONS);
    }
  }

  private NodeFixture(
      Redis redis,
      String policy,
      FailureMode failureMode,
      Duration shutdownDelay,
      OptionalInt adminPort) {
    this(redis, policy, failureMode, shutdownDelay, adminPort, Extras.NONE);
  }

  private NodeFixture(
      Redis redis,
      String policy,
      FailureMode failureMode,
      Duration shutdownDelay,
      OptionalInt adminPort,
      Extras extras) {
    this.redis = redis;
    this.adminPort = adminPort;
    this.extras = extras;
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
      String mode = "failureMode: %s%n".formatted(failureMode.name().toLowerCase(Locale.ROOT));
      Files.writeString(
          policyFile, mode + policy.replace("UPSTREAM", Integer.toString(upstreamPort)));
      port = FreePorts.one();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      start(shutdownDelay);
    } catch (RuntimeException e) {
      redis.end().run(); // nobody closes a fixture that has not started
      throw e;
    }
  }

  /** Sets the upstream's answer for a path. */
  public void upstreamAnswers(String path, Consumer<HttpServerRequest> answer) {
    upstreamPaths.put(path, answer);
  }

  public String redisUri() {
    return redis.uri();
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
    return URI.create("http://127.0.0.1:" + adminPort.orElse(port) + path);
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
    redis.end().run();
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
            adminPort.stream().mapToObj(own -> new Address("127.0.0.1", own)).findFirst(),
            extras.services(),
            extras.tls(),
            List.of("https://app.example.com")),
        new NodeConfig.Redis(redis.uri(), redis.timeout(), START_WAIT),
        new PolicyFile(policyFile, Optional.empty(), extras.watchesPolicy()),
        new Tokens(Optional.of(SERVICE), Optional.of(ADMIN)),
        new Running(LOOPS, extras.connections(), shutdownDelay, Duration.ofSeconds(10)),
        extras.reports()));
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
