package io.weir.whole;

import io.vertx.core.internal.VertxInternal;
import io.weir.core.policy.SecretHash;
import io.weir.node.Node;
import io.weir.node.NodeView;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.NodeConfig.PolicyFile;
import io.weir.node.config.NodeConfig.Redis;
import io.weir.node.config.NodeConfig.Running;
import io.weir.node.config.NodeConfig.Tokens;
import io.weir.node.config.Reports;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RealTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Some nodes in this process, each with its own way to Redis, and callers that send requests all the time. Owned by one
 * test.
 */
final class FaultScene implements AutoCloseable {
  /** Longer than any caller has to wait for an answer. */
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Duration REDIS_TIMEOUT =
      Duration.ofMillis(System.getProperty("weir.faults") == null ? 400 : 150);
  private static final Duration ASKS_EVERY = Duration.ofMillis(20);

  private final List<Node> nodes = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();
  private final Path policy;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<CompletableFuture<Void>> callers = new ArrayList<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger hung = new AtomicInteger();
  private final AtomicLong blockedNanos = new AtomicLong();
  private volatile boolean isOver;

  /** An answer to a caller. */
  record Answer(long atNanos, int key, boolean isAdmitted, boolean isDenied, boolean isDegraded) {
    /** Whether a node admitted it by itself. For a while after an outage, nodes only deny by themselves. */
    boolean isByNode() {
      return isAdmitted && isDegraded;
    }

    boolean hasFailed() {
      return !isAdmitted && !isDenied;
    }
  }

  /** @param keys the number of API keys, each of a tenant of its own and with this many operations a second */
  FaultScene(int keys, int opsPerSec) {
    StringBuilder text = new StringBuilder("""
        buckets:
          - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: %d, operations: [Ping] }] }
        subjects:
        """.formatted(opsPerSec));
    for (int i = 0; i < keys; i++) {
      text.append("  k%d: { tenant: t%d, secretHash: \"%s\" }\n"
          .formatted(i, i, SecretHash.of("secret").formatted()));
    }
    try {
      policy = Files.writeString(Files.createTempFile("weir-policy", ".yaml"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a node. */
  FaultScene with(String redisUri) {
    return with(redisUri, Optional.empty());
  }

  /** Starts a node that stores a copy of the policy. */
  FaultScene with(String redisUri, Optional<Path> copy) {
    int port = FreePorts.one();
    Node node = Node.start(new NodeConfig(
        new Listening(
            new Address("127.0.0.1", port),
            Optional.empty(),
            Map.of(),
            Optional.empty(),
            List.of()),
        new Redis(redisUri, REDIS_TIMEOUT, Duration.ZERO),
        new PolicyFile(policy, copy, false),
        new Tokens(Optional.empty(), Optional.empty()),
        new Running(1, 1000, Duration.ZERO, Duration.ofSeconds(1)),
        Reports.NONE));
    ((VertxInternal) NodeView.vertx(node))
        .blockedThreadChecker()
        .setThreadBlockedHandler(
            event -> blockedNanos.accumulateAndGet(event.duration(), Math::max));
    nodes.add(node);
    ports.add(port);
    return this;
  }

  /** Starts this many callers, each with a node and a key in rotation. */
  FaultScene callers(int count, int keys) {
    for (int i = 0; i < count; i++) {
      int caller = i;
      callers.add(CompletableFuture.runAsync(() -> ask(caller, keys), threads));
    }
    return this;
  }

  /** Stops the callers, and waits for them. */
  void end() {
    isOver = true;
    CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new))
        .orTimeout(3 * TIMEOUT.toSeconds(), TimeUnit.SECONDS)
        .join();
  }

  List<Answer> answers(long from, long to) {
    return answers.stream()
        .filter(answer -> answer.atNanos() >= from && answer.atNanos() < to)
        .toList();
  }

  int hung() {
    return hung.get();
  }

  /** The longest block of an event loop of a node, in milliseconds; 0 for less than 100. */
  long blockedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(blockedNanos.get());
  }

  /** The count of an outcome of places, over all nodes. */
  long places(String outcome) {
    double sum = 0;
    for (int port : ports) {
      sum += metrics(port)
          .lines()
          .filter(line ->
              line.startsWith("throttle_slots_total") && line.contains("\"" + outcome + "\""))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
    return (long) sum;
  }

  @Override
  public void close() {
    isOver = true;
    threads.shutdownNow();
    nodes.forEach(Node::close);
    try {
      Files.deleteIfExists(policy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port(int node) {
    return ports.get(node);
  }

  private String metrics(int port) {
    try {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(port)))
                  .build(),
              BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void ask(int caller, int keys) {
    int port = ports.get(caller % ports.size());
    for (int i = caller; !isOver; i++) {
      int key = i % keys;
      try {
        answers.add(check(port, key));
      } catch (IOException e) {
        hung.incrementAndGet();
      } catch (InterruptedException e) {
        return;
      }
      RealTime.pass(ASKS_EVERY);
    }
  }

  private Answer check(int port, int key) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:%d/v1/check".formatted(port)))
        .timeout(TIMEOUT)
        .POST(HttpRequest.BodyPublishers.ofString(
            "{\"key\":\"k%d.secret\",\"operation\":\"Ping\"}".formatted(key)))
        .build();
    String body = client.send(request, BodyHandlers.ofString()).body();
    return new Answer(
        System.nanoTime(),
        key,
        body.contains("\"decision\":\"allowed\""),
        body.contains("\"decision\":\"denied\""),
        body.contains("\"degraded\":true"));
  }
}
