package io.weir.operators.warning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.SecretHash;
import io.weir.node.command.WeirCommand;
import io.weir.node.config.Reports;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Warnings of two nodes that share one Redis. */
final class WarningsIT {
  private static final String POLICY =
      """
      buckets:
        - name: requests
          burstPeriod: 10000
          throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask] }]
        - name: shared
          scope: tenant
          burstPeriod: 20000
          throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask] }]
      plans: { free: { buckets: [requests, shared] } }
      defaults: { plan: free }
      warnings:
        near: { to: ops, tenants: [acme], limits: [requests] }
        tenants: { to: ops, tenants: [big], limits: [shared], at: [50] }
        nobody: { to: nobody, tenants: [other] }
      subjects:
        - { id: k1, tenant: acme, secretHash: "%1$s" }
        - { id: b1, tenant: big, secretHash: "%1$s" }
        - { id: b2, tenant: big, secretHash: "%1$s" }
        - { id: o1, tenant: other, secretHash: "%1$s" }
      """.formatted(SecretHash.of("secret-of-all").formatted());

  private static final byte[] SECRET =
      "thirty-two bytes of a secret....".getBytes(StandardCharsets.US_ASCII);

  /** A message that a receiver took. */
  private record Taken(String id, String timestamp, String signature, String body) {
    JsonObject data() {
      return new JsonObject(body).getJsonObject("data");
    }
  }

  private static final List<Taken> TAKEN = new CopyOnWriteArrayList<>();

  private static volatile boolean refused;

  @TempDir
  private static Path folder;

  private static HttpServer receiver;
  private static RedisProcess redis;
  private static NodeFixture one;
  private static NodeFixture two;

  @BeforeAll
  static void start() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/in", exchange -> {
      var headers = exchange.getRequestHeaders();
      TAKEN.add(new Taken(
          headers.getFirst("webhook-id"),
          headers.getFirst("webhook-timestamp"),
          headers.getFirst("webhook-signature"),
          new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
      exchange.sendResponseHeaders(refused ? 503 : 204, -1);
      exchange.close();
    });
    receiver.start();
    Path file = Files.writeString(folder.resolve("webhooks.json"), """
        {"receivers": {"ops": {"url": "http://127.0.0.1:%d/in", "secrets": ["whsec_%s"]}}}
        """.formatted(
            receiver.getAddress().getPort(), Base64.getEncoder().encodeToString(SECRET)));
    Reports reports = new Reports(Optional.empty(), Optional.of(file), Optional.empty());
    redis = RedisProcess.start();
    one = NodeFixture.reporting(redis.uri(), POLICY, reports);
    two = NodeFixture.reporting(redis.uri(), POLICY, reports);
  }

  @AfterAll
  static void end() {
    one.close();
    two.close();
    redis.close();
    receiver.stop(0);
  }

  private static void use(NodeFixture node, String key, int cost) {
    HttpResponse<String> answer = node.post(
        "/v1/check",
        "{\"key\":\"%s.secret-of-all\",\"operation\":\"Ask\",\"cost\":%d}".formatted(key, cost));
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  private static List<Taken> of(String rule) {
    return TAKEN.stream().filter(it -> rule.equals(it.data().getString("rule"))).toList();
  }

  private static double count(NodeFixture node, String outcome) {
    return node.send(HttpRequest.newBuilder(node.adminUri("/metrics")))
        .body()
        .lines()
        .filter(line -> line.startsWith("throttle_warnings_total{")
            && line.contains("outcome=\"%s\"".formatted(outcome)))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Test
  void aLimitThatFillsUpIsToldOnceSignedAndByOneNode() {
    use(one, "k1", 81);
    await().untilAsserted(() -> assertThat(of("near")).hasSize(1));
    use(two, "k1", 1);
    use(one, "k1", 10);
    await().untilAsserted(() -> assertThat(of("near")).hasSize(2));
    use(two, "k1", 1);
    use(two, "k1", 7);
    use(two, "k1", 1);
    await().untilAsserted(() -> assertThat(of("near")).hasSize(3));
    assertThat(of("near").stream().map(it -> it.data().getInteger("at")))
        .containsExactly(80, 90, 100);
    Taken first = of("near").get(0);
    JsonObject data = first.data();
    assertThat(data.getString("tenant")).isEqualTo("acme");
    assertThat(data.getString("key")).isEqualTo("k1");
    assertThat(data.getString("limit")).isEqualTo("requests");
    assertThat(data.getString("kind")).isEqualTo("rate");
    assertThat(data.getInteger("usedPercent")).isEqualTo(81);
    assertThat(data.getLong("quota")).isEqualTo(100);
    Receiver known = new Receiver("ops", one.uri("/"), List.of(SECRET));
    assertThat(first.signature())
        .isEqualTo(known.signature(first.id(), first.timestamp(), first.body()));
  }

  @Test
  void aLimitOfATenantIsToldOnceForAllOfItsKeys() {
    use(one, "b1", 60);
    use(two, "b2", 60);
    use(one, "b2", 1);
    use(two, "b1", 1);
    await().untilAsserted(() -> assertThat(of("tenants")).hasSize(1));
    JsonObject data = of("tenants").get(0).data();
    assertThat(data.getString("tenant")).isEqualTo("big");
    assertThat(data.containsKey("key")).isFalse();
    assertThat(data.getString("scope")).isEqualTo("tenant");
  }

  @Test
  void aReceiverThatTheOperatorHasNotListedGetsNothing() {
    use(one, "o1", 90);
    await().untilAsserted(() -> assertThat(count(one, "no_receiver")).isPositive());
    assertThat(of("nobody")).isEmpty();
  }

  private static HttpResponse<String> asked(String method, String path, String body) {
    return one.send(HttpRequest.newBuilder(one.adminUri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void whatANodeCouldNotDeliverIsListedByTheOthers() {
    long failed = receiver().getLong("failed");
    refused = true;
    test(two);
    refused = false;
    assertThat(receiver().getBoolean("isFailing")).isTrue();
    assertThat(receiver().getString("why")).isEqualTo("status 503");
    assertThat(receiver().getLong("failed")).isEqualTo(failed + 1);

    test(two);
    assertThat(receiver().getBoolean("isFailing")).isFalse();
  }

  private static void test(NodeFixture node) {
    node.send(HttpRequest.newBuilder(node.adminUri("/v1/warnings/test"))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .POST(HttpRequest.BodyPublishers.ofString("{\"to\": \"ops\"}")));
  }

  private static JsonObject receiver() {
    JsonObject found = NodeFixture.json(asked("GET", "/v1/warnings", ""));
    assertThat(found.getJsonArray("rules").stream().map(it -> ((JsonObject) it).getString("name")))
        .containsExactly("near", "nobody", "tenants");
    return found.getJsonArray("receivers").getJsonObject(0);
  }

  @Test
  void anOperatorTriesAReceiver() {
    JsonObject taken = NodeFixture.json(asked("POST", "/v1/warnings/test", "{\"to\": \"ops\"}"));
    assertThat(taken.getBoolean("delivered")).as(taken.encode()).isTrue();
    assertThat(taken.getInteger("status")).isEqualTo(204);
    assertThat(TAKEN).anyMatch(it -> it.body().startsWith("{\"type\":\"test\""));
    assertThat(receiver().getString("lastDelivered")).isNotNull();

    refused = true;
    asked("POST", "/v1/warnings/test", "{\"to\": \"ops\"}");
    String first = receiver().getString("lastFailed");
    JsonObject failed = NodeFixture.json(asked("POST", "/v1/warnings/test", "{\"to\": \"ops\"}"));
    refused = false;
    assertThat(failed.getBoolean("delivered")).isFalse();
    assertThat(failed.getString("why")).isEqualTo("status 503");
    String since = receiver().getString("failingSince");
    assertThat(receiver().getBoolean("isFailing")).isTrue();
    assertThat(since).isEqualTo(first);
    asked("POST", "/v1/warnings/test", "{\"to\": \"ops\"}");
    assertThat(receiver().containsKey("failingSince")).isFalse();

    assertThat(asked("POST", "/v1/warnings/test", "{\"to\": \"me\"}").body())
        .contains("receiver_unknown");
    assertThat(asked("POST", "/v1/warnings/test", "{}").body()).contains("test_invalid");
  }

  private static String weir(String... words) {
    StringWriter out = new StringWriter();
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", one.adminUri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    int status = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(all.toArray(String[]::new));
    return out + "(" + status + ")";
  }

  @Test
  void theCommandsListRulesAndTryReceivers() {
    assertThat(weir("warnings", "test", "ops")).contains("ops has taken it: status 204", "(0)");
    assertThat(weir("warnings", "test", "me")).contains("receiver_unknown", "(1)");
    assertThat(weir("warnings", "list").lines())
        .anyMatch(line -> line.matches("near +ops +80, 90, 100 +limits requests; tenants acme"))
        .anyMatch(line -> line.matches("receiver +taken +failed +last +now"))
        .anyMatch(line -> line.matches("ops +\\d+ +\\d+ +\\d+ s ago"));
  }

  @Test
  void aReceiverThatNoFileHasIsAFinding() {
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject verdict = NodeFixture.json(asked("GET", "/v1/status", ""));
      assertThat(verdict.getJsonArray("findings").stream()
              .map(it -> ((JsonObject) it).getString("what")))
          .contains("Rule nobody warns nobody, a receiver of no file");
    });
  }

  @Test
  void aPolicyWithUnknownNamesIsRefusedWithAllOfThem() {
    String wrong = POLICY.replace("limits: [shared], at: [50]", "plans: [gold], limits: [nothing]")
        + "failureMode: deny\n";
    HttpResponse<String> answer = one.send(HttpRequest.newBuilder(one.adminUri("/v1/policy"))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .PUT(HttpRequest.BodyPublishers.ofString(wrong)));
    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(answer.body()).contains("plan_unknown", "limit_unknown");
  }
}
