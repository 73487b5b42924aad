package io.weir.benchmarks.http;

import io.vertx.core.buffer.Buffer;
import io.weir.benchmarks.Measurement;
import io.weir.benchmarks.RedisProbe;
import io.weir.benchmarks.Sample;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Compares limiters inside one Spring Cloud Gateway, which answers by itself: none, the gateway's own with Redis, Weir as
 * the limiter of the gateway's filter, and Weir's filter with an exact and a leased bucket.
 */
public final class GatewayBench {
  private static final int SUBJECTS = 10_000;
  private static final int HERD = 1000;
  // The warm-up, as a multiple of a round.
  private static final int WARM_UP = 5;
  private static final String POLICY = """
      buckets:
        - { name: exact, burstPeriod: 9000000, throttleGroups: [{ opsPerSec: 1, operations: [Exact] }] }
        - { name: leased, scope: tenant, leased: true, burstPeriod: 1000,
            throttleGroups: [{ opsPerSec: 50000000, operations: [Leased] }] }
        - { name: herd, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Herd] }] }
      subjects: [{ match: "*", tenant: acme }]
      """;
  private static final Map<String, String> ROUTES = routes();

  private final String redisUri;
  private final RedisProbe redis;
  private final Path jar;
  private final PrintWriter out;

  /** @param jar the gateway, {@code benchmarks/gateway} */
  public GatewayBench(String redisUri, RedisProbe redis, Path jar, PrintWriter out) {
    this.redisUri = redisUri;
    this.redis = redis;
    this.jar = jar;
    this.out = out;
  }

  private static Map<String, String> routes() {
    Map<String, String> routes = new LinkedHashMap<>();
    routes.put("no limiter", "/none");
    routes.put("the gateway's own", "/theirs");
    routes.put("Weir as its limiter", "/theirs-by-weir");
    routes.put("Weir's filter", "/exact");
    routes.put("Weir's filter, leased", "/leased");
    return routes;
  }

  /** How a herd of callers of one key passes a limit of 100 a second. */
  public record Herd(String contender, int passed, double attemptsEach, double lastSeconds) {}

  /** The figures of the loads and of the herds. */
  public record Result(List<Measurement> measurements, List<Herd> herds) {}

  /** Measures all routes in turn, in several rounds of the given duration, and then the herds. */
  public Result measure(int rounds, Duration duration) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("weir-bench-");
    redis.clear();
    try (ByteLoad load = new ByteLoad();
        ServerProcess gateway = gateway(folder)) {
      List<Measurement> measured = measure(gateway, load, rounds, duration);
      return new Result(measured, herds(gateway));
    } finally {
      HttpBench.clean(folder);
    }
  }

  private ServerProcess gateway(Path folder) throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    return ServerProcess.startJar(
        port,
        folder.resolve("gateway.log"),
        Map.of(
            "REDIS_URI",
            redisUri,
            "POLICY",
            policy.toString(),
            "SERVER_ADDRESS",
            "127.0.0.1",
            "SERVER_PORT",
            Integer.toString(port)),
        jar);
  }

  private List<Measurement> measure(
      ServerProcess gateway, ByteLoad load, int rounds, Duration duration) {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      out.println(
          round == 0 ? "gateway: warming up" : "gateway: round %d of %d".formatted(round, rounds));
      out.flush();
      Duration lasts = round == 0 ? duration.multipliedBy(WARM_UP) : duration;
      for (Map.Entry<String, String> route : ROUTES.entrySet()) {
        Sample sample = HttpBench.sample(redis, load, gateway, requests(route.getValue()), lasts);
        if (round > 0) {
          samples.computeIfAbsent(route.getKey(), name -> new ArrayList<>()).add(sample);
        }
      }
    }
    return ROUTES.keySet().stream()
        .map(name -> new Measurement(
            name, HttpBench.CONNECTIONS, SUBJECTS, false, samples.getOrDefault(name, List.of())))
        .toList();
  }

  private static List<Buffer> requests(String path) {
    return IntStream.range(0, SUBJECTS)
        .mapToObj(i -> Buffer.buffer(
            "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: k%d\r\n\r\n".formatted(path, i)))
        .toList();
  }

  private List<Herd> herds(ServerProcess gateway) {
    List<Herd> herds = new ArrayList<>();
    try (HttpHerd herd = new HttpHerd(gateway.port())) {
      // Nothing tells the callers of the gateway's own limiter when to come again.
      herds.add(
          herd.run("the gateway's own, callers come again after 1 s", "/herd-theirs", HERD, false));
      herds.add(herd.run("Weir's filter, by Retry-After", "/herd", HERD, false));
      herds.add(herd.run("Weir's filter, with tickets", "/herd", HERD, true));
    }
    for (Herd one : herds) {
      out.printf(
          "herd of %,d: %s: %d passed, %.2f attempts each, the last after %.1f s%n",
          HERD, one.contender(), one.passed(), one.attemptsEach(), one.lastSeconds());
    }
    out.flush();
    return herds;
  }
}
