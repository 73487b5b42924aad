package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.weir.benchmarks.Measurement;
import io.weir.benchmarks.RedisProbe;
import io.weir.benchmarks.Sample;
import io.weir.benchmarks.http.ByteLoad.Seen;
import io.weir.core.policy.SecretHash;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures the doors of one node that services call: each protocol's decisions beside the least that the same server
 * does in this protocol, and beside Redis's own.
 */
public final class DoorsBench {
  private static final int SUBJECTS = 10_000;
  private static final String TOKEN = "token-of-the-benchmark";
  // The warm-up, as a multiple of a round.
  private static final int WARM_UP = 5;
  private static final String LIMITS =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String HEALTH = "/grpc.health.v1.Health/Check";

  private final HttpBench http;
  private final PrintWriter out;

  /** @param http starts the node */
  public DoorsBench(HttpBench http, PrintWriter out) {
    this.http = http;
    this.out = out;
  }

  private record Door(String name, Function<Duration, Seen> load) {}

  /** Measures all doors in so many rounds of this duration. */
  public List<Measurement> measure(int rounds, Duration duration)
      throws IOException, InterruptedException {
    int envoyPort = ServerProcess.freePort();
    int respPort = ServerProcess.freePort();
    Map<String, String> settings = Map.of(
        "WEIR_ENVOY_PORT",
        Integer.toString(envoyPort),
        "WEIR_RESP_PORT",
        Integer.toString(respPort),
        "WEIR_SERVICE_TOKEN",
        SecretHash.of(TOKEN).formatted());
    List<Measurement> measured = new ArrayList<>();
    http.withSettings(policy(), settings, node -> {
      try (ByteLoad ofHttp = new ByteLoad();
          ByteLoad ofRedis =
              new ByteLoad(AnswerFormat.RESP, Optional.of(Buffer.buffer(command("AUTH", TOKEN))));
          ByteLoad ofRedisItself = new ByteLoad(AnswerFormat.RESP, Optional.empty());
          GrpcLoad ofEnvoy = new GrpcLoad()) {
        measured.addAll(measure(
            node,
            List.of(
                bytes("HTTP, health", ofHttp, node.port(), i -> request("GET /health/live", "")),
                bytes("HTTP, /v1/check", ofHttp, node.port(), DoorsBench::check),
                calls("gRPC, health", ofEnvoy, envoyPort, HEALTH, i -> Buffer.buffer()),
                calls("gRPC, no limit", ofEnvoy, envoyPort, LIMITS, i -> entry("free", i)),
                calls("gRPC, ShouldRateLimit", ofEnvoy, envoyPort, LIMITS, i -> entry("id", i)),
                bytes("Redis itself, PING", ofRedisItself, http.redisPort(), i -> command("PING")),
                bytes("Redis protocol, PING", ofRedis, respPort, i -> command("PING")),
                bytes(
                    "Redis protocol, WEIR.CHECK",
                    ofRedis,
                    respPort,
                    i -> command("WEIR.CHECK", "k" + i, "Hello")),
                bytes(
                    "Redis protocol, WEIR.CHECK, one subject",
                    ofRedis,
                    respPort,
                    i -> command("WEIR.CHECK", "k0", "Hello")),
                bytes(
                    "Redis protocol, WEIR.CHECK, one subject, leased",
                    ofRedis,
                    respPort,
                    i -> command("WEIR.CHECK", "k0", "Leased")),
                bytes(
                    "Redis protocol, CL.THROTTLE",
                    ofRedis,
                    respPort,
                    i -> command("CL.THROTTLE", "f" + i, "900000", "900000", "1"))),
            rounds,
            duration));
      }
    });
    return measured;
  }

  private List<Measurement> measure(
      ServerProcess node, List<Door> doors, int rounds, Duration duration) {
    RedisProbe redis = http.redis();
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      out.println(
          round == 0 ? "Doors: warming up" : "Doors: round %d of %d".formatted(round, rounds));
      out.flush();
      for (Door door : doors) {
        Duration lasts = round == 0 ? duration.multipliedBy(WARM_UP) : duration;
        Sample sample = HttpBench.sample(redis, node, () -> door.load().apply(lasts));
        if (round > 0) {
          samples.computeIfAbsent(door.name(), name -> new ArrayList<>()).add(sample);
        }
      }
    }
    return samples.entrySet().stream()
        .map(of ->
            new Measurement(of.getKey(), HttpBench.CONNECTIONS, SUBJECTS, false, of.getValue()))
        .toList();
  }

  private static Door bytes(String name, ByteLoad load, int port, IntFunction<String> request) {
    List<Buffer> requests = prepared(i -> Buffer.buffer(request.apply(i)));
    return new Door(name, duration -> load.run(port, HttpBench.CONNECTIONS, requests, duration));
  }

  private static Door calls(
      String name, GrpcLoad load, int port, String path, IntFunction<Buffer> message) {
    List<Buffer> messages = prepared(i -> GrpcLoad.framed(message.apply(i)));
    GrpcLoad.Method method = new GrpcLoad.Method(port, path, TOKEN, messages);
    return new Door(name, duration -> load.run(method, HttpBench.CONNECTIONS, duration));
  }

  private static List<Buffer> prepared(IntFunction<Buffer> request) {
    return IntStream.range(0, SUBJECTS).mapToObj(request).toList();
  }

  private static Buffer entry(String key, int subject) {
    return GrpcLoad.rateLimitRequest("edge", key, "k" + subject);
  }

  private static String check(int subject) {
    return request(
        "POST /v1/check", "{\"subject\":\"k%d\",\"operation\":\"Hello\"}".formatted(subject));
  }

  private static String request(String target, String body) {
    return target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: weir-bench\r\nAccept: */*\r\n"
        + "Authorization: Bearer %s\r\n".formatted(TOKEN)
        + (body.isEmpty()
            ? "\r\n"
            : "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(body.getBytes(UTF_8).length, body));
  }

  private static String command(String... words) {
    StringBuilder command = new StringBuilder("*%d\r\n".formatted(words.length));
    for (String word : words) {
      command.append("$%d\r\n%s\r\n".formatted(word.length(), word));
    }
    return command.toString();
  }

  // One limit for each subject at each door, of billions of operations: nothing is denied.
  private static String policy() {
    String subjects = IntStream.range(0, SUBJECTS)
        .mapToObj(
            i -> "  k%d: { tenant: acme, plan: default }%n  f%d: { tenant: acme, plan: carried }%n"
                .formatted(i, i))
        .collect(Collectors.joining());
    return """
        operations:
          - { name: Hello, match: { method: GET, path: /hello } }
          - { name: Leased, match: { method: GET, path: /leased } }
        buckets:
          - { name: requests, burstPeriodMs: 9000000000,
              throttleGroups: [{ opsPerSec: 1, operations: [Hello] }] }
          - { name: busy, leased: true, burstPeriod: 10,
              throttleGroups: [{ opsPerSec: 10000000, operations: [Leased] }] }
        plans: { default: {}, carried: { buckets: [] } }
        requestLimits: { carried: { maxAtOnce: 1000000, maxOpsPerSec: 1000000, maxDrain: 60m } }
        envoy:
          edge:
            rules:
              - { match: [{ key: id }], requests: 4000000000, per: day }
              - { match: [{ key: free }], unlimited: true }
        subjects:
        %s""".formatted(subjects);
  }
}
