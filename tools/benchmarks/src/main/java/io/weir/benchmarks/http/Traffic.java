package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.SecretHash;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Prepared requests, and the policy with their keys. */
final class Traffic {
  private static final int SUBJECTS = 10_000;
  private static final int FULL = 100;
  private static final int BUCKETS = 3;

  private Traffic() {}

  /** One check for each subject. */
  static List<Buffer> checks() {
    return requests(Traffic::check);
  }

  /** One check for each subject whose limit is far below the load: nearly all are denied. */
  static List<Buffer> denied() {
    return IntStream.range(0, FULL)
        .mapToObj(i -> Buffer.buffer(check("full-" + i, "")))
        .toList();
  }

  /** One check for a thousand operations for each subject, so that its keys live that long. */
  static List<Buffer> expensiveChecks() {
    return requests(i -> check("k" + i, ",\"cost\":1000"));
  }

  /** One request through the gateway for each subject. */
  static List<Buffer> calls() {
    return requests(Traffic::call);
  }

  /** The same with an upstream of two providers. */
  static List<Buffer> provided() {
    return requests(i -> call("/provided", i));
  }

  /**
   * Half checks, a quarter through the gateway, the rest for keys that are always full: denied with and without places;
   * their callers never return.
   */
  static List<Buffer> mixed() {
    return IntStream.range(0, SUBJECTS)
        .mapToObj(i -> switch (i % 8) {
          case 0, 1, 2, 3 -> check(i);
          case 4, 5 -> call(i);
          case 6 -> check("full-" + i % FULL, "");
          default -> check("booked-" + i % 100, ",\"ticket\":true");
        })
        .map(Buffer::buffer)
        .toList();
  }

  // Buckets of nine million operations that drain one per second: nothing is denied.
  static String policy(int upstream) {
    String buckets =
        IntStream.range(0, BUCKETS).mapToObj("""
              - { name: bucket-%d, burstPeriodMs: 9000000000,
                  throttleGroups: [{ opsPerSec: 1, operations: [Hello, Provided] }] }
            """::formatted).collect(Collectors.joining());
    String names =
        IntStream.range(0, BUCKETS).mapToObj(i -> "bucket-" + i).collect(Collectors.joining(", "));
    String subjects = Stream.of(
            IntStream.range(0, SUBJECTS).mapToObj(i -> subject("k" + i, "all")),
            IntStream.range(0, FULL).mapToObj(i -> subject("full-" + i, "full")),
            IntStream.range(0, 100).mapToObj(i -> subject("booked-" + i, "booked")))
        .flatMap(lines -> lines)
        .collect(Collectors.joining());
    return """
        operations:
          - { name: Provided, match: { method: GET, path: /provided }, upstream: two }
          - { name: Hello, match: { method: GET, path: /hello } }
        buckets:
        %s  - { name: small, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 2, operations: [Hello] }] }
        plans:
          all: { buckets: [%s] }
          full: { buckets: [small], slots: off }
          booked: { buckets: [small] }
        subjects:
        %supstream: { url: "http://127.0.0.1:%d" }
        upstreams:
          two:
            maxInflight: 1000
            selection: weights
            providers:
              - { name: a, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d" }
        """.formatted(buckets, names, subjects, upstream, upstream, upstream);
  }

  /** A policy for {@link CrowdBench}: keys with a limit of their own, and tenants whose keys share one. */
  static String crowds(int tenants) {
    String alone = Stream.of("ten", "hundred")
        .flatMap(limit -> Stream.of(ReturnWay.values())
            .flatMap(way -> Stream.of("off", "0", "50", "100")
                .map(mode -> subject(
                    "%s-%s-%s".formatted(limit, way, mode),
                    "acme",
                    mode.equals("off") ? limit + "-off" : limit))))
        .collect(Collectors.joining());
    String shared = IntStream.range(0, tenants)
        .mapToObj(i -> "c" + i)
        .flatMap(tenant -> Stream.concat(
                IntStream.range(0, 50).mapToObj(i -> "loud" + i),
                IntStream.range(0, 10).mapToObj(i -> "quiet" + i))
            .map(name -> subject(tenant + "-" + name, tenant, "shared")))
        .collect(Collectors.joining());
    String herds = IntStream.range(0, tenants)
        .mapToObj(i -> subject("c%d-alone".formatted(i), "acme", "hundred"))
        .collect(Collectors.joining());
    return """
        operations:
          - { name: Hello, match: { method: GET, path: /hello } }
        buckets:
          - { name: ten, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Hello] }] }
          - { name: hundred, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Hello] }] }
          - { name: shared, scope: tenant, burstPeriodMs: 1000,
              throttleGroups: [{ opsPerSec: 100, operations: [Hello] }] }
        plans:
          ten: { buckets: [ten] }
          ten-off: { buckets: [ten], slots: off }
          hundred: { buckets: [hundred] }
          hundred-off: { buckets: [hundred], slots: off }
          shared: { buckets: [shared] }
        subjects:
        %s%s%s""".formatted(alone, herds, shared);
  }

  /**
   * A policy with a plan for each of these limits: admissions a second, and whose bucket it is. A bucket holds a tenth of
   * a second, or one operation.
   */
  static String smallLimits(List<String> limits) {
    String buckets = limits.stream()
        .map(limit -> {
          int perSecond = Integer.parseInt(limit.substring(0, limit.indexOf('-')));
          return """
                - { name: "%s", scope: %s, burstPeriodMs: %d,
                    throttleGroups: [{ opsPerSec: %d, operations: [Hello] }] }
              """.formatted(
                  limit,
                  limit.endsWith("tenant") ? "tenant" : "key",
                  Math.max(100, 1000 / perSecond),
                  perSecond);
        })
        .collect(Collectors.joining());
    String plans = limits.stream()
        .map(limit -> "  \"%s\": { buckets: [\"%s\"] }%n".formatted(limit, limit))
        .collect(Collectors.joining());
    String subjects = limits.stream()
        .flatMap(limit -> Stream.of("true-1", "false-1", "true-3", "false-3")
            .flatMap(crowd -> IntStream.range(0, 3)
                .mapToObj(i -> "%s-%s-%d".formatted(limit, crowd, i))
                .map(id -> subject(id, id.substring(0, id.length() - 2), limit))))
        .collect(Collectors.joining());
    return """
        operations:
          - { name: Hello, match: { method: GET, path: /hello } }
        buckets:
        %splans:
        %ssubjects:
        %s""".formatted(buckets, plans, subjects);
  }

  private static String subject(String id, String plan) {
    return subject(id, "acme", plan);
  }

  private static String subject(String id, String tenant, String plan) {
    return "  %s: { tenant: %s, plan: %s, secretHash: \"%s\" }%n"
        .formatted(id, tenant, plan, SecretHash.of(secret(id)).formatted());
  }

  /** The key of a subject. */
  static String key(String subject) {
    return subject + "." + secret(subject);
  }

  private static String secret(String subject) {
    return "benchmark-secret-of-" + subject;
  }

  private static List<Buffer> requests(IntFunction<String> request) {
    return IntStream.range(0, SUBJECTS)
        .mapToObj(i -> Buffer.buffer(request.apply(i)))
        .toList();
  }

  private static String check(int subject) {
    return check("k" + subject, "");
  }

  private static String check(String subject, String more) {
    String body =
        "{\"key\":\"%s.%s\",\"operation\":\"Hello\"%s}".formatted(subject, secret(subject), more);
    return head("POST /v1/check")
        + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(body.getBytes(UTF_8).length, body);
  }

  private static String call(int subject) {
    return call("/hello", subject);
  }

  private static String call(String path, int subject) {
    return head("GET " + path)
        + "X-Api-Key: k%d.%s\r\n\r\n".formatted(subject, secret("k" + subject));
  }

  private static String head(String target) {
    return target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: weir-bench\r\nAccept: */*\r\n";
  }
}
