package io.weir.cluster.local;

import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.NodeProcess.Archiving;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Upstream;
import io.weir.embedded.EmbeddedRedis;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster on this machine: Redis, a demo upstream and some nodes, each node a process. Mutable; owned by the code
 * that started it; {@link #close} ends everything and removes every file.
 */
public final class LocalCluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);
  private static final Duration PUBLISH_TIMEOUT = Duration.ofSeconds(60);
  private static final int TOKEN_BYTES = 16;

  private final ClusterSetup setup;
  private final String adminToken = token("WEIR_ADMIN_TOKEN");
  private final String serviceToken = token("WEIR_SERVICE_TOKEN");
  private final List<AutoCloseable> parts = new CopyOnWriteArrayList<>();
  private final List<NodeProcess> nodes = new CopyOnWriteArrayList<>();
  private final List<Path> files = new CopyOnWriteArrayList<>();
  private final List<Runnable> onClose = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private String redisUri = "";

  private LocalCluster(ClusterSetup setup) {
    this.setup = setup;
  }

  /**
   * Starts the cluster and returns when all nodes are ready.
   *
   * @throws IOException if a port is busy, or a cluster runs already
   */
  public static LocalCluster start(ClusterSetup setup) throws IOException, InterruptedException {
    LocalCluster cluster = new LocalCluster(setup);
    // Registered before the first process: an interrupted start must not leave any process behind.
    Thread hook = new Thread(cluster::close);
    Runtime.getRuntime().addShutdownHook(hook);
    cluster.onClose.add(() -> unhook(hook));
    try {
      cluster.start();
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static void unhook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook itself is closing it.
    }
  }

  /** The description; after {@link #announce} it is also in {@code cluster.json}. */
  public ClusterFile description() throws IOException {
    Policy policy = PolicyDocuments.read(policyFile()).policy();
    List<DemoKey> keys = ClusterFile.describe(setup.keys(), policy);
    return new ClusterFile(
        nodes.stream().map(NodeProcess::url).toList(),
        nodes.stream().map(NodeProcess::adminUrl).toList(),
        keys,
        redisUri,
        adminToken,
        serviceToken,
        ProcessHandle.current().pid());
  }

  /** Writes {@code cluster.json}: other programs may use the cluster from now on. */
  public void announce() throws IOException {
    files.add(clusterFile());
    description().write(clusterFile());
  }

  /** The nodes, in the order of their ports. */
  public List<NodeProcess> nodes() {
    return List.copyOf(nodes);
  }

  /** Completes when the cluster is closed. */
  public void awaitClosed() throws InterruptedException {
    closed.await();
  }

  @Override
  public synchronized void close() {
    if (closed.getCount() == 0) {
      return;
    }
    nodes.forEach(NodeProcess::stop);
    nodes.forEach(NodeProcess::close);
    for (int i = parts.size() - 1; i >= 0; i--) {
      closeQuietly(parts.get(i));
    }
    removeFiles();
    onClose.forEach(Runnable::run);
    closed.countDown();
  }

  // The other parts, and the files, must be removed in any case.
  private static void closeQuietly(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.warn("could not stop {}", part, e);
    }
  }

  // Started and recorded in one step: a concurrent close must not miss it.
  private synchronized <T extends AutoCloseable> T own(List<? super T> owned, Starter<T> starter)
      throws IOException {
    if (closed.getCount() == 0) {
      throw new IOException("stopped while it started");
    }
    T part = starter.start();
    owned.add(part);
    return part;
  }

  /** Starts a part of the cluster. */
  @FunctionalInterface
  private interface Starter<T> {
    T start() throws IOException;
  }

  private void start() throws IOException, InterruptedException {
    if (Files.exists(clusterFile())) {
      throw ClusterFile.taken(clusterFile());
    }
    for (int port : setup.nodes().ports()) {
      requireFree("node", port);
    }
    for (int port : setup.nodes().adminPorts()) {
      requireFree("admin port of a node", port);
    }
    setup.makeDirectory();
    files.add(setup
        .directory()
        .resolve("up.log")); // scripts/up --detach writes it, and may have ended by then
    startUpstream(writePolicy());
    startRedis();
    startNodes();
  }

  private Optional<Upstream> writePolicy() throws IOException {
    String text = PolicyDocuments.text(setup.policy());
    Optional<Upstream> upstream = PolicyDocuments.parse(setup.policy().toString(), text)
        .policy()
        .routing()
        .upstream();
    if (upstream.isPresent() && setup.upstreamPort().isPresent()) {
      String other = "http://127.0.0.1:" + setup.upstreamPort().get();
      text = text.replace(upstream.get().uri().toString(), other);
      upstream = PolicyDocuments.parse(setup.policy().toString(), text)
          .policy()
          .routing()
          .upstream();
    }
    files.add(policyFile());
    Files.writeString(policyFile(), text);
    return upstream;
  }

  private void startUpstream(Optional<Upstream> upstream) throws IOException {
    if (upstream.isPresent() && "127.0.0.1".equals(upstream.get().uri().getHost())) {
      int port = upstream.get().uri().getPort();
      requireFree("demo upstream", port);
      own(parts, () -> DemoUpstream.start(port));
    }
  }

  private void startRedis() throws IOException {
    if (setup.redisUri().isPresent()) {
      redisUri = setup.redisUri().get();
      return;
    }
    if (setup.redisPort() != 0) {
      requireFree("Redis", setup.redisPort());
    }
    redisUri = own(parts, () -> EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, setup.redisPort()))
        .uri();
  }

  private void startNodes() throws IOException, InterruptedException {
    Map<String, String> environment = Map.of(
        "WEIR_HOST",
        setup.nodes().host(),
        "WEIR_ADMIN_HOST",
        setup.nodes().host(),
        "WEIR_REDIS_URI",
        redisUri,
        "WEIR_POLICY",
        policyFile().toString(),
        "WEIR_ADMIN_TOKEN",
        adminToken,
        "WEIR_SERVICE_TOKEN",
        serviceToken);
    for (int i = 0; i < setup.nodes().ports().size(); i++) {
      int port = setup.nodes().ports().get(i);
      int adminPort = setup.nodes().adminPorts().get(i);
      Path log = setup.directory().resolve("node-" + port + ".log");
      files.add(log);
      Archiving archiving = nodes.isEmpty() ? Archiving.ON : Archiving.OFF;
      own(nodes, () -> NodeProcess.start(port, adminPort, environment, log, archiving));
    }
    for (NodeProcess node : nodes) {
      node.awaitReady();
    }
    if (setup.redisUri().isPresent()) {
      publish(); // an existing Redis may contain an older policy
    }
  }

  private void publish() throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(nodes.get(0).adminUrl() + "/v1/policy"))
        .timeout(PUBLISH_TIMEOUT)
        .header("Authorization", "Bearer " + adminToken)
        .PUT(HttpRequest.BodyPublishers.ofFile(policyFile()))
        .build();
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException("the policy was not published: " + response.body());
    }
  }

  private Path clusterFile() {
    return setup.directory().resolve("cluster.json");
  }

  private Path policyFile() {
    return setup.directory().resolve("policy.yaml").toAbsolutePath();
  }

  private void removeFiles() {
    try {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
      files.clear();
      Files.deleteIfExists(setup.directory());
    } catch (IOException e) {
      // The directory contains a file of another program, such as the log of a detached start: it
      // stays.
      files.clear();
    }
  }

  private static void requireFree(String what, int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      socket.getLocalPort();
    } catch (IOException e) {
      throw new IOException(
          "port %d, for the %s, is taken (see --help for another)".formatted(port, what), e);
    }
  }

  private static String token(String variable) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    return Optional.ofNullable(System.getenv(variable)).orElse(HexFormat.of().formatHex(random));
  }
}
