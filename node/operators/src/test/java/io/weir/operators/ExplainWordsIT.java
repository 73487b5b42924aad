package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What an operator reads of limits that deny nothing, and of those that an operation does not have. */
final class ExplainWordsIT {
  private static final String POLICY = """
      operations:
        - { name: Search, match: { path: /search } }
        - { name: Export, match: { path: /export } }
        - { name: Stream, match: { path: /stream }, settle: { lease: 60s } }
      buckets:
        - { name: own, burstPeriod: 60, throttleGroups: [{ opsPerSec: 5, operations: [Search] }] }
        - { name: exports, burstPeriod: 3600, throttleGroups: [{ rate: 2/h, operations: [Export] }] }
      quotas:
        - { name: hints, scope: key, limit: 2, period: 24h, soft: true, operations: [Search] }
        - { name: daily, scope: key, limit: 100, period: day, operations: [Search] }
      permits:
        - { name: streams, scope: key, limit: 2, lease: 60s, operations: [Stream] }
      defaults: { plan: default }
      plans: { default: {} }
      subjects: { k1: { tenant: acme } }
      """;

  @AutoClose
  private final RedisProcess redis = RedisProcess.start();

  @AutoClose
  private final NodeFixture node = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL);

  private void ask(String path, String operation, int times) {
    for (int i = 0; i < times; i++) {
      node.post(
          path,
          new JsonObject().put("subject", "k1").put("operation", operation).encode(),
          "Authorization",
          "Bearer " + NodeFixture.SERVICE);
    }
  }

  private JsonObject explained(String operation) {
    return NodeFixture.json(
        node.send(HttpRequest.newBuilder(node.uri("/v1/explain?key=k1&operation=" + operation))
            .header("Authorization", "Bearer " + NodeFixture.ADMIN)));
  }

  private static JsonObject limit(JsonObject explained, String name) {
    return explained.getJsonArray("limits").stream()
        .map(JsonObject.class::cast)
        .filter(limit -> limit.getString("limit").equals(name))
        .findFirst()
        .orElseThrow();
  }

  private List<String> printed(String... words) {
    StringWriter out = new StringWriter();
    WeirCommand.commandLine(
            Map.of("WEIR_NODE", node.uri("/").toString(), "WEIR_ADMIN_TOKEN", NodeFixture.ADMIN),
            Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(words);
    return out.toString().lines().toList();
  }

  @Test
  void aSoftQuotaOnlyWarns() {
    ask("/v1/check", "Search", 3);

    JsonObject explained = explained("Search");

    assertThat(explained.getString("decision")).isEqualTo("allowed");
    JsonObject hints = limit(explained, "hints");
    assertThat(hints.getBoolean("soft")).isTrue();
    assertThat(hints.getBoolean("full")).isFalse();
    assertThat(limit(explained, "daily").containsKey("soft")).isFalse();
    assertThat(explained.getJsonArray("words").stream().map(String::valueOf))
        .anyMatch(line -> line.startsWith("hints, quota of the key") && line.contains("only warns"))
        .noneMatch(line -> line.startsWith("daily,") && line.contains("only warns"));
    assertThat(printed("explain", "k1", "Search"))
        .anyMatch(line -> line.matches("hints +3 of 2 +warns +quota +key +plan +in \\d+ .*"));
    assertThat(printed("top", "--state", "nearly"))
        .anyMatch(line -> line.startsWith("acme/k1 ") && line.contains(" hints, warns "));
    ask("/v1/check", "Search", 77); // of 100 a day
    assertThat(printed("top", "--state", "nearly"))
        .anyMatch(line -> line.startsWith("acme/k1 ") && line.contains(" daily "))
        .anyMatch(line -> line.contains(" hints, warns "));
  }

  @Test
  void anOperationHasTheQueueOfItsOwnLimits() {
    ask("/v1/check", "Export", 4);

    assertThat(printed("explain", "k1", "Export")).anyMatch(line -> line.startsWith("exports: "));
    assertThat(printed("explain", "k1")).anyMatch(line -> line.startsWith("exports: "));
    assertThat(printed("explain", "k1", "Search"))
        .anyMatch(line -> line.matches("own +0 of 300 +5 per s +key +plan +now"))
        .noneMatch(line -> line.contains("exports"));
  }

  @Test
  void aWaitBelowAnHourHasNoHours() {
    ask("/v1/check", "Export", 2);

    assertThat(explained("Export").getJsonArray("words").getString(0))
        .containsPattern("denied for (at least )?\\d+ min \\d+ s: exports full\\.");
  }

  @Test
  void whenAPermitIsFreeIsNotKnown() {
    assertThat(printed("explain", "k1", "Stream"))
        .anyMatch(line -> line.matches("streams +0 of 2 .*plan +now"));
    ask("/v1/reservations", "Stream", 1);
    assertThat(printed("explain", "k1", "Stream"))
        .anyMatch(line -> line.matches("streams +1 of 2 .*plan *"));
  }
}
