package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoNodes;
import io.weir.operators.nodes.RedisNodes;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The nodes and what they decide, as it happens. */
@Tag("operators")
final class LiveIT {
  private static final String POLICY =
      """
      operations: [{ name: Ask, match: { path: /ask } }]
      buckets: [{ name: requests, burstPeriod: 60, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }]
      subjects:
        - { id: k1, tenant: acme, secretHash: "%s" }
      """.formatted(SecretHash.of("secret-of-all").formatted());

  @AutoClose
  private final TwoNodes nodes = TwoNodes.start(POLICY);

  private final RedisProcess redis = nodes.redis();
  private final NodeFixture one = nodes.one();
  private final NodeFixture two = nodes.two();

  private static JsonObject nodes(NodeFixture node) {
    return look(node, "/v1/nodes");
  }

  private static JsonObject look(NodeFixture node, String path) {
    HttpResponse<String> answer = node.send(HttpRequest.newBuilder(node.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer);
  }

  private static void ask(NodeFixture node, int times) {
    for (int i = 0; i < times; i++) {
      node.post("/v1/check", "{\"key\":\"k1.secret-of-all\",\"operation\":\"Ask\",\"cost\":10}");
    }
  }

  private static long sum(JsonObject pulse, String part, String name) {
    return pulse.getJsonArray("spans").stream()
        .map(span -> ((JsonObject) span).getJsonObject(part))
        .mapToLong(counts -> counts.getLong(name, 0L))
        .sum();
  }

  @Test
  void theDecisionsOfAllNodesAreInTheSlotsOfEach() {
    ask(one, 4);
    ask(two, 4); // the bucket holds 60: two of these have no room, and few drain meanwhile

    for (NodeFixture node : List.of(one, two)) {
      await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
        JsonObject pulse = nodes(node);
        assertThat(pulse.getJsonArray("nodes"))
            .hasSize(2)
            .allSatisfy(
                one -> assertThat(((JsonObject) one).getDouble("redisMostMs")).isPositive());
        assertThat(pulse.getString("redis")).isEqualTo("answers");
        assertThat(sum(pulse, "admitted", "Ask") + sum(pulse, "denied", "Ask")).isEqualTo(8);
        assertThat(sum(pulse, "limits", "requests")).isEqualTo(sum(pulse, "denied", "Ask"));
        assertThat(sum(pulse, "denied", "Ask")).isBetween(1L, 2L);
      });
    }
  }

  @Test
  void aNodeTellsItsOwnWithoutRedis() {
    try (FaultProxy network = FaultProxy.before(redis.port());
        NodeFixture alone = NodeFixture.at(network.redisUri(), POLICY, FailureMode.DENY)) {
      ask(alone, 2);
      network.refuse(true);

      await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
        JsonObject pulse = nodes(alone);
        assertThat(pulse.getString("redis")).isEqualTo("away");
        assertThat(pulse.getJsonArray("nodes")).hasSize(1);
        assertThat(sum(pulse, "admitted", "Ask")).isEqualTo(2);
        JsonObject status = look(alone, "/v1/status");
        assertThat(status.getBoolean("needsYou")).isTrue();
        assertThat(status.getJsonArray("findings").getJsonObject(0).getString("code"))
            .isEqualTo("redis_away");
      });
      Ran ran = status(alone);
      assertThat(ran.status()).isEqualTo(1);
      assertThat(ran.out())
          .contains(
              " you · ",
              "• Redis is away, for ",
              "  Bring Redis back. Until then requests are refused with 503.");
      ask(alone, 1);
      JsonObject cases = look(alone, "/v1/cases");
      assertThat(cases.getString("redis")).isEqualTo("away");
      assertThat(cases.getInteger("nodesAnswered")).isEqualTo(1);
      assertThat(cases.getJsonArray("cases")).isEmpty(); // no limit denies
      assertThat(look(alone, "/v1/denials")
              .getJsonArray("denials")
              .getJsonObject(0)
              .getString("reason"))
          .isEqualTo("store_unavailable");
    }
  }

  @Test
  void theVerdictIsThatOfAllNodes() {
    ask(one, 2);
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject status = look(two, "/v1/status");
      assertThat(status.getBoolean("needsYou")).as(status.encode()).isFalse();
      assertThat(status.getJsonObject("nodes"))
          .isEqualTo(
              new JsonObject().put("asked", 2).put("answered", 2).put("unseen", new JsonArray()));
      assertThat(status.getJsonObject("redis").getString("state")).isEqualTo("answers");
      assertThat(status.getJsonObject("redis").getDouble("p99Ms")).isPositive();
      assertThat(status.getJsonObject("policy").getString("by")).isEqualTo("node");
      assertThat(nodes(one).getJsonObject("status").getBoolean("needsYou")).isFalse();
    });
    Ran ran = status(one);
    assertThat(ran.status()).as(ran.out()).isZero();
    assertThat(ran.out().replaceAll("\\s+", " "))
        .matches(
            "Nothing needs you, for [^·]+ · (none|\\d+ %) denied[^·]* · 2 nodes · Redis p99 \\d+ ms · policy 1, [\\w ]+ ago ");
  }

  @Test
  void aNodeThatEndedWithoutNoticeIsListedWithItsLastFiguresAndOneThatStoppedIsNot() {
    JsonObject facts = nodes(one).getJsonArray("nodes").getJsonObject(0).copy();
    facts.put("listens", "10.0.0.9:8080").remove("node");
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      new RedisNodes(connections).put("killed", facts).join();
    }

    JsonObject pulse = nodes(two);
    assertThat(pulse.getJsonArray("nodes")).hasSize(2);
    assertThat(pulse.getJsonArray("unseen")).hasSize(1);
    JsonObject killed = pulse.getJsonArray("unseen").getJsonObject(0);
    assertThat(killed.getString("node")).isEqualTo("killed");
    assertThat(killed.getString("upSince")).isEqualTo(facts.getString("upSince"));
    assertThat(killed.containsKey("findings")).isFalse();
    assertThat(Instant.parse(killed.getString("seen")))
        .isBeforeOrEqualTo(Instant.parse(pulse.getString("at")));
    assertThat(status(two).out().replaceAll("\\s+", " "))
        .contains("2 nodes · 10.0.0.9:8080 not seen for ");

    two.stop();
    JsonObject alone = nodes(one);
    assertThat(alone.getJsonArray("nodes")).hasSize(1);
    assertThat(alone.getJsonArray("unseen").stream().map(it -> ((JsonObject) it).getString("node")))
        .containsExactly("killed");
  }

  private record Ran(int status, String out) {}

  private static Ran status(NodeFixture node) {
    StringWriter out = new StringWriter();
    int status = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute("status", "--node", node.uri("/").toString(), "--admin-token", NodeFixture.ADMIN);
    return new Ran(status, out.toString());
  }

  private static Socket watch(NodeFixture node) {
    Socket socket = node.connect();
    NodeFixture.write(
        socket,
        "GET /v1/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(NodeFixture.ADMIN));
    return socket;
  }

  private static String readUntil(Socket socket, String text) {
    StringBuilder read = new StringBuilder();
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      read.append(NodeFixture.read(socket, 500));
      return read.indexOf(text) >= 0;
    });
    return read.toString();
  }

  @Test
  void thoseWhoWatchAreToldWhatHappens() throws Exception {
    try (Socket socket = watch(one)) {
      String begun = readUntil(socket, "event: top");
      assertThat(begun).contains("text/event-stream", "event: pulse", "\"nodesAsked\":2");
      ask(two, 7);
      assertThat(readUntil(socket, "\"requests\":1")).contains("event: pulse");
      assertThat(readUntil(socket, "\"key\":\"k1\",\"limit\":\"requests\""))
          .contains("event: cases", "\"state\":\"now\"");
    }
  }

  private String head() throws IOException {
    try (Socket socket = watch(one)) {
      return NodeFixture.read(socket, 300);
    }
  }

  @Test
  void tooManyWatchersAreRefusedAndThoseWhoLeaveMakeRoom() throws Exception {
    List<Socket> watching = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        watching.add(watch(one));
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(head()).contains(" 503 ", "streams_full"));
      watching.remove(0).close();
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(head()).contains(" 200 "));
    } finally {
      for (Socket socket : watching) {
        socket.close();
      }
    }
  }

  @Test
  void theCommandShowsTheCasesAgainUntilItsNodeStops() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine weir = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err));
    CompletableFuture<Integer> status = CompletableFuture.supplyAsync(() -> weir.execute(
        "top", "--watch", "--node", two.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));

    await().atMost(Duration.ofMinutes(1)).until(() -> out.toString().contains("Limited now: 0"));
    ask(one, 7);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> out.toString().matches("(?s).*Limited now: 1\\s+who .*\\s+acme/k1 +requests .*"));
    two.node().close();
    assertThat(status.join()).isEqualTo(1);
    assertThat(err.toString()).contains(" node ");
  }

  @Test
  void aStreamIsEndedWhenItsNodeStops() throws Exception {
    try (Socket socket = watch(two)) {
      readUntil(socket, "event: pulse");
      two.node().close();
      assertThat(readUntil(socket, "0\r\n\r\n")).endsWith("0\r\n\r\n"); // the last chunk
    }
  }
}
