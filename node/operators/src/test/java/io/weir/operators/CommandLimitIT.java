package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Operators see and reset the limits that commands carry. */
final class CommandLimitIT {
  private static final String POLICY = """
      operations: [{ name: Ask, match: { path: /ask } }]
      buckets: [{ name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
      plans: { free: { buckets: [calls] }, plain: { buckets: [calls] } }
      defaults: { plan: free }
      requestLimits: { free: { maxAtOnce: 1000 } }
      subjects:
        - { match: "user:*", tenant: app, plan: free }
        - { match: "other:*", tenant: app, plan: plain }
      """;

  private static int port;

  @AutoClose
  private static NodeFixture node;

  @BeforeAll
  static void start() {
    port = FreePorts.one();
    node = NodeFixture.withResp(POLICY, port);
  }

  /** The first number of each answer: 1 if the caller is limited. */
  private static String throttled(String... commands) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      NodeFixture.write(
          socket,
          "AUTH " + NodeFixture.SERVICE + "\r\n" + String.join("\r\n", commands) + "\r\nQUIT\r\n");
      return NodeFixture.read(socket, 60_000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonObject explained(String query) {
    HttpResponse<String> answer = operator("GET", "/v1/explain?key=" + query, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer);
  }

  private static HttpResponse<String> operator(String method, String path, String body) {
    return node.send(HttpRequest.newBuilder(node.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  private static JsonObject limit(JsonObject explained) {
    return named(explained.getJsonArray("limits"), "limit", "request:throttle");
  }

  private static JsonObject named(JsonArray all, String field, String name) {
    return all.stream()
        .map(JsonObject.class::cast)
        .filter(one -> one.getString(field).equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + all));
  }

  @Test
  void theLimitOfADeniedCommandIsExplainedAndResetByItsName() {
    String command = "CL.THROTTLE user:1 4 1 3600";
    assertThat(throttled(command + " 5", command)).contains("*5\r\n:1\r\n:5\r\n:0\r\n");

    JsonObject one = explained("user:1&operation=throttle");
    assertThat(one.getString("decision")).isEqualTo("denied");
    JsonObject all = explained("user:1");
    JsonObject decision = named(all.getJsonArray("decisions"), "operation", "throttle");
    assertThat(decision.getString("decision")).isEqualTo("denied");
    assertThat(decision.getJsonArray("full")).containsExactly("request:throttle");
    assertThat(named(all.getJsonArray("decisions"), "operation", "Ask").getString("decision"))
        .isEqualTo("allowed");
    JsonObject limit = limit(all);
    assertThat(limit.getString("from")).isEqualTo("request");
    assertThat(limit.getLong("capacity")).isEqualTo(5);
    assertThat(limit.getLong("used")).isEqualTo(5);
    assertThat(limit.getBoolean("full")).isTrue();
    JsonObject denial = NodeFixture.json(operator("GET", "/v1/denials?key=user:1", ""))
        .getJsonArray("denials")
        .getJsonObject(0);
    assertThat(denial.getJsonObject("carried"))
        .isEqualTo(new JsonObject().put("maxBurst", 4).put("count", 1).put("periodSeconds", 3600));

    HttpResponse<String> reset = operator(
        "POST",
        "/v1/reset",
        "{\"key\": \"user:1\", \"limits\": [\"request:throttle\"], \"queue\": true}");
    assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
    assertThat(reset.body()).contains("request:throttle");
    assertThat(limit(explained("user:1")).getLong("used")).isZero();
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(throttled(command)).contains("*5\r\n:0\r\n:5\r\n"));
  }

  @Test
  void withoutADeniedCommandAndOfOtherPlansThereIsNone() {
    throttled("CL.THROTTLE user:2 4 1 3600");
    assertThat(explained("user:2").getJsonArray("decisions")).hasSize(1);
    HttpResponse<String> unknown = operator("GET", "/v1/explain?key=user:2&operation=throttle", "");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("No denied command");
    assertThat(operator("GET", "/v1/explain?key=other:1&operation=throttle", "").statusCode())
        .isEqualTo(404);
    HttpResponse<String> reset =
        operator("POST", "/v1/reset", "{\"key\": \"other:1\", \"limits\": [\"request:throttle\"]}");
    assertThat(reset.statusCode()).isEqualTo(422);
  }
}
