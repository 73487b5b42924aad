package io.weir.benchmarks.http;

import io.vertx.core.buffer.Buffer;
import io.weir.benchmarks.Measurement;
import io.weir.benchmarks.RedisProbe;
import io.weir.benchmarks.Sample;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Compares {@code /v1/check} with a plain Vert.x server, and the gateway with a plain Vert.x proxy: each is a process
 * with one event loop, and this process calls them in turn.
 */
public final class HttpBench {
  static final int CONNECTIONS = 64;
  private static final int SOAK_CONNECTIONS = 16;
  private static final long SOAK_PAUSE_MILLIS = 5;
  // The warm-up, as a multiple of a round.
  private static final int WARM_UP = 5;
  private static final String SERVE = "--serve";

  private final String redisUri;
  private final RedisProbe redis;
  private final String main;
  private final PrintWriter out;

  /** @param main the class that serves as the plain server if started with {@code --serve PORT,UPSTREAM} */
  public HttpBench(String redisUri, RedisProbe redis, String main, PrintWriter out) {
    this.redisUri = redisUri;
    this.redis = redis;
    this.main = main;
    this.out = out;
  }

  /** Runs a mixed load on a node for the duration: memory and latency must not grow. */
  public List<SoakWindow> soak(Duration duration, Duration window)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-soak-");
    redis.clear();
    try (ByteLoad load = new ByteLoad();
        ServerProcess hello = plain(folder.resolve("hello.log"), 0);
        ServerProcess node = node(folder, hello.port())) {
      List<SoakWindow> windows = new ArrayList<>();
      List<Buffer> mixed = Traffic.mixed();
      for (long i = 0; i < duration.dividedBy(window); i++) {
        ByteLoad.Seen seen =
            load.run(node.port(), SOAK_CONNECTIONS, mixed, window, SOAK_PAUSE_MILLIS);
        SoakWindow done = new SoakWindow(
            seen.nanos().getTotalCount() / seen.seconds(),
            seen.nanos().getValueAtPercentile(50) / 1e3,
            seen.nanos().getValueAtPercentile(99) / 1e3,
            node.residentBytes(),
            redis.usedMemory(),
            redis.keys(),
            seen.unlike());
        windows.add(done);
        out.println(done);
        out.flush();
      }
      return windows;
    } finally {
      clean(folder);
    }
  }

  private record Contender(String name, ServerProcess server, List<Buffer> requests) {}

  /** Measures all servers in several rounds of the given duration. */
  public List<Measurement> measure(int rounds, Duration duration)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-bench-");
    redis.clear();
    try (ByteLoad load = new ByteLoad();
        ServerProcess hello = plain(folder.resolve("hello.log"), 0);
        ServerProcess proxy = plain(folder.resolve("proxy.log"), hello.port());
        ServerProcess node = node(folder, hello.port())) {
      List<Buffer> checks = Traffic.checks();
      List<Buffer> calls = Traffic.calls();
      List<Contender> contenders = List.of(
          new Contender("plain hello", hello, calls),
          new Contender("/v1/check, one key", node, checks.subList(0, 1)),
          new Contender("/v1/check, 10,000 keys", node, checks),
          new Contender("plain proxy", proxy, calls),
          new Contender("gateway, one key", node, calls.subList(0, 1)),
          new Contender("gateway, 10,000 keys", node, calls),
          new Contender("gateway to providers", node, Traffic.provided()));
      // A thousand operations each, so that no key expires between two visits.
      long unlike = load.sendEach(node.port(), Traffic.expensiveChecks());
      if (unlike > 0) {
        throw new IllegalStateException("the node did not know %d keys".formatted(unlike));
      }
      return measure(contenders, load, rounds, duration);
    } finally {
      clean(folder);
    }
  }

  private List<Measurement> measure(
      List<Contender> contenders, ByteLoad load, int rounds, Duration duration) {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      out.println(
          round == 0 ? "HTTP: warming up" : "HTTP: round %d of %d".formatted(round, rounds));
      out.flush();
      for (Contender contender : contenders) {
        Duration lasts = round == 0 ? duration.multipliedBy(WARM_UP) : duration;
        Sample sample = sample(redis, load, contender.server(), contender.requests(), lasts);
        if (round > 0) {
          samples.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(sample);
        }
      }
    }
    List<Measurement> measured = new ArrayList<>();
    for (Contender contender : contenders) {
      measured.add(new Measurement(
          contender.name(),
          CONNECTIONS,
          contender.requests().size(),
          false,
          samples.getOrDefault(contender.name(), List.of())));
    }
    return measured;
  }

  /** The figures of a server under this load, and of Redis beside it. */
  static Sample sample(
      RedisProbe redis,
      ByteLoad load,
      ServerProcess server,
      List<Buffer> requests,
      Duration duration) {
    return sample(redis, server, () -> load.run(server.port(), CONNECTIONS, requests, duration));
  }

  /** The same of any load. */
  static Sample sample(RedisProbe redis, ServerProcess server, Supplier<ByteLoad.Seen> load) {
    double redisBefore = redis.cpuSeconds();
    Duration before = server.cpu();
    ByteLoad.Seen seen = load.get();
    double serverMicros = server.cpu().minus(before).toNanos() / 1e3;
    double redisMicros = (redis.cpuSeconds() - redisBefore) * 1e6;
    double asked = Math.max(1, (double) seen.nanos().getTotalCount());
    return new Sample(
        asked / seen.seconds(),
        seen.nanos().getValueAtPercentile(50) / 1e3,
        seen.nanos().getValueAtPercentile(99) / 1e3,
        serverMicros / asked,
        redisMicros / asked,
        seen.unlike());
  }

  private ServerProcess plain(Path log, int upstream) throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    return ServerProcess.start(port, log, Map.of(), main, List.of(SERVE, port + "," + upstream));
  }

  /** Work with a running node. */
  @FunctionalInterface
  interface NodeUse {
    void accept(ServerProcess node) throws IOException, InterruptedException;
  }

  /** Work with running nodes. */
  @FunctionalInterface
  interface NodesUse {
    void accept(List<ServerProcess> nodes) throws IOException, InterruptedException;
  }

  /** Starts so many nodes with a policy, and stops them afterwards. */
  void withNodes(int count, String policy, NodesUse use) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-bench-");
    redis.clear();
    List<ServerProcess> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        nodes.add(node(folder, policy));
      }
      use.accept(nodes);
    } finally {
      nodes.forEach(ServerProcess::close);
      clean(folder);
    }
  }

  /** Starts a node as it is and one without a module, with the same policy, and stops both afterwards. */
  void withAndWithout(String module, String policy, NodesUse use)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-bench-");
    redis.clear();
    try (ServerProcess node = node(folder, policy);
        ServerProcess other = node(folder, policy, ServerProcess.classPathWithout(module))) {
      use.accept(List.of(node, other));
    } finally {
      clean(folder);
    }
  }

  /** Starts a node with a policy for the port of its upstream, and stops both afterwards. */
  void withNode(IntFunction<String> policy, NodeUse use) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-bench-");
    redis.clear();
    try (ServerProcess hello = plain(folder.resolve("hello.log"), 0);
        ServerProcess node = node(folder, policy.apply(hello.port()))) {
      use.accept(node);
    } finally {
      clean(folder);
    }
  }

  private ServerProcess node(Path folder, int upstream) throws IOException, InterruptedException {
    return node(folder, Traffic.policy(upstream));
  }

  private ServerProcess node(Path folder, String text) throws IOException, InterruptedException {
    return node(folder, text, ServerProcess.classPath());
  }

  /** Starts a node with further settings, and stops it afterwards. */
  void withSettings(String policy, Map<String, String> settings, NodeUse use)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-bench-");
    redis.clear();
    try (ServerProcess node = node(folder, policy, ServerProcess.classPath(), settings)) {
      use.accept(node);
    } finally {
      clean(folder);
    }
  }

  private ServerProcess node(Path folder, String text, String classPath)
      throws IOException, InterruptedException {
    return node(folder, text, classPath, Map.of());
  }

  private ServerProcess node(Path folder, String text, String classPath, Map<String, String> more)
      throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    Path policy = Files.writeString(folder.resolve("policy.yaml"), text);
    Map<String, String> settings = new HashMap<>(more);
    settings.putAll(Map.of(
        "WEIR_HOST",
        "127.0.0.1",
        "WEIR_PORT",
        Integer.toString(port),
        "WEIR_REDIS_URI",
        redisUri,
        "WEIR_REDIS_TIMEOUT_MS",
        "5000",
        "WEIR_ADMIN_PORT",
        "0",
        "WEIR_EVENT_LOOPS",
        "1",
        "WEIR_SHUTDOWN_DELAY_MS",
        "0",
        "WEIR_POLICY",
        policy.toString()));
    return ServerProcess.startOf(
        classPath,
        port,
        folder.resolve("node.log"),
        settings,
        List.of("io.weir.node.Main", "node"));
  }

  RedisProbe redis() {
    return redis;
  }

  /** The port of Redis itself, which is on this machine. */
  int redisPort() {
    return URI.create(redisUri).getPort();
  }

  static void clean(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
