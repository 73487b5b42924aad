package io.weir.node.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
final class CheckIT {
  private static final String SOON = """
      buckets:
        - { name: soon, burstPeriodMs: 100, throttleGroups: [{ opsPerSec: 10, operations: [Soon] }] }
      """;

  @AutoClose
  private static final NodeFixture node = new NodeFixture(
      TestPolicies.slow().replace("buckets:\n", SOON)
          + TestPolicies.subject("k7", "")
          + TestPolicies.subject("k8", "")
          + TestPolicies.subject("k9", ""),
      FailureMode.DENY);

  @Test
  void decidesOnOneRequest() {
    HttpResponse<String> allowed = check(one("k1", "Files", 5));
    assertThat(allowed.statusCode()).isEqualTo(200);
    JsonObject first = NodeFixture.json(allowed);
    assertThat(first.getString("decision")).isEqualTo("allowed");
    assertThat(first.getJsonArray("full")).isEqualTo(new JsonArray());
    assertThat(first.getLong("revision")).isEqualTo(1);
    JsonObject limit = first.getJsonArray("limits").getJsonObject(0);
    assertThat(limit.getString("bucket")).isEqualTo("five");
    assertThat(limit.getLong("remaining")).isEqualTo(2);
    assertThat(limit.getLong("resetMs")).isBetween(2_490_000L, 2_500_000L);

    HttpResponse<String> denied = check(one("k1", "Files", 3));
    assertThat(denied.statusCode()).isEqualTo(200);
    JsonObject second = NodeFixture.json(denied);
    assertThat(second.getString("decision")).isEqualTo("denied");
    assertThat(second.getJsonArray("full")).isEqualTo(JsonArray.of("five"));
    assertThat(second.getLong("retryAfterMs")).isBetween(390_000L, 400_000L);
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
    assertThat(denied.headers().firstValue("RateLimit")).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "k2, Files, 8, cost_exceeds_capacity",
    "k2, Files, 9007199254740991, cost_exceeds_capacity",
    "frozen, Files, 1, access_disabled",
    "k2, Unknown, 1, operation_not_configured"
  })
  void saysWhyARequestCanNeverPass(String id, String operation, long cost, String reason) {
    HttpResponse<String> response = check(one(id, operation, cost));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(response).getString("decision")).isEqualTo("never_allowed");
    assertThat(NodeFixture.json(response).getString("reason")).isEqualTo(reason);
  }

  @Test
  void decidesOnAListInItsOrder() {
    JsonObject list = new JsonObject()
        .put(
            "checks",
            new JsonArray()
                .add(one("k3", "Files", 4))
                .add(one("k3", "Files", 3))
                .add(one("k3", "Files", 4))
                .add(one("frozen", "Files", 1)));
    HttpResponse<String> response = check(list);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(response).getJsonArray("decisions").stream()
            .map(decision -> ((JsonObject) decision).getString("decision")))
        .containsExactly("allowed", "allowed", "denied", "never_allowed");
  }

  @Test
  void aCheckMayWaitForItsSlot() {
    JsonObject waits = one("k7", "Soon", 1).put("waitForMs", 60_000);
    List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, 6)
        .mapToObj(i -> CompletableFuture.supplyAsync(() -> check(waits)))
        .toList();
    assertThat(answers)
        .allSatisfy(answer ->
            assertThat(NodeFixture.json(answer.join()).getString("decision")).isEqualTo("allowed"));
    // The slot of a slow limit is too far away.
    JsonObject late = one("k7", "Files", 4).put("waitForMs", 1000);
    assertThat(NodeFixture.json(check(late)).getString("decision")).isEqualTo("allowed");
    assertThat(NodeFixture.json(check(late)).getString("decision")).isEqualTo("denied");
  }

  @Test
  void aCheckMayTakeWhatIsLeft() {
    JsonObject wants = one("k8", "Files", 5).put("atLeast", 2);
    assertThat(NodeFixture.json(check(wants)).getLong("granted")).isEqualTo(5);
    JsonObject rest = NodeFixture.json(check(wants));
    assertThat(rest.getString("decision")).isEqualTo("allowed");
    assertThat(rest.getLong("granted")).isEqualTo(2);
    JsonObject denied = NodeFixture.json(check(wants));
    assertThat(denied.getString("decision")).isEqualTo("denied");
    assertThat(denied.containsKey("granted")).isFalse();
    // A list of checks is answered in order, each by itself.
    HttpResponse<String> list = check(new JsonObject()
        .put(
            "checks",
            new JsonArray()
                .add(one("k9", "Files", 6))
                .add(one("k9", "Files", 6).put("atLeast", 1))));
    assertThat(NodeFixture.json(list).getJsonArray("decisions").getJsonObject(1).getLong("granted"))
        .isEqualTo(1);
  }

  @Test
  void aTrustedServiceNamesTheSubject() {
    assertThat(checkOf("k4", NodeFixture.SERVICE).statusCode()).isEqualTo(200);
  }

  @Test
  void aWrongServiceTokenHasOneAnswerForKnownSubjectsAndOthers() {
    HttpResponse<String> wrong = checkOf("k4", "wrong");
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(NodeFixture.json(wrong).getString("code")).isEqualTo("service_token_invalid");
    assertThat(NodeFixture.json(wrong).getJsonArray("errors")).isEqualTo(JsonArray.of("subject"));
    assertThat(checkOf("nobody", "wrong").body()).isEqualTo(wrong.body());
    String body = subject("nobody").encode();
    assertThat(node.post("/v1/check", body).body()).isEqualTo(wrong.body());
  }

  @Test
  void theTokenOfAnOperatorIsNotThatOfAService() {
    HttpResponse<String> refused = checkOf("k4", NodeFixture.ADMIN);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("service_token_needed");
    assertThat(refused.body()).contains("the token of an operator");
    HttpResponse<String> reservation = node.post(
        "/v1/reservations", subject("k4").encode(), "Authorization", "Bearer " + NodeFixture.ADMIN);
    assertThat(NodeFixture.json(reservation).getString("code")).isEqualTo("service_token_needed");
  }

  @Test
  void aServiceIsToldWhichSubjectIsUnknownAndNothingIsTaken() {
    HttpResponse<String> single = checkOf("nobody", NodeFixture.SERVICE);
    assertThat(single.statusCode()).isEqualTo(404);
    assertThat(NodeFixture.json(single).getString("code")).isEqualTo("subject_unknown");
    assertThat(NodeFixture.json(single).getJsonArray("errors"))
        .isEqualTo(JsonArray.of("subject: nobody (expected: one that may be used)"));
    JsonArray checks = new JsonArray()
        .add(subject("k4").put("operation", "Ping").put("cost", 6))
        .add(subject("weir_k1.secret-of-k1"));
    HttpResponse<String> list = service(new JsonObject().put("checks", checks));
    assertThat(list.statusCode()).isEqualTo(404);
    assertThat(NodeFixture.json(list).getJsonArray("errors"))
        .isEqualTo(JsonArray.of("checks[1].subject: weir_k1… (expected: one that may be used)"));
    checks.add(one("k5", "Files", 1).put("key", "k5.wrong"));
    HttpResponse<String> mixed = service(new JsonObject().put("checks", checks));
    assertThat(NodeFixture.json(mixed).getString("code")).isEqualTo("key_invalid");
    assertThat(NodeFixture.json(mixed).getJsonArray("errors"))
        .isEqualTo(JsonArray.of("checks[2].key"));
    JsonObject fits = subject("k4").put("operation", "Ping").put("cost", 6);
    assertThat(NodeFixture.json(service(fits)).getString("decision")).isEqualTo("allowed");
  }

  @Test
  void anUnlistedOperationIsNamedWithTheNearestOne() {
    JsonObject typo = NodeFixture.json(check(one("k2", "Fiels", 1)));
    assertThat(typo.getString("reason")).isEqualTo("operation_not_configured");
    assertThat(typo.getString("operation")).isEqualTo("Fiels");
    assertThat(typo.getString("nearest")).isEqualTo("Files");
    JsonObject other = NodeFixture.json(check(one("k2", "Unknown", 1)));
    assertThat(other.getString("operation")).isEqualTo("Unknown");
    assertThat(other.containsKey("nearest")).isFalse();
    HttpResponse<String> reservation = node.post(
        "/v1/reservations",
        subject("k2").put("operation", "Pinf").encode(),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE);
    assertThat(reservation.statusCode()).isEqualTo(403);
    assertThat(NodeFixture.json(reservation).getString("nearest")).isEqualTo("Ping");
  }

  @Test
  void ofAListTheFirstTenUnlistedOperationsAreNamed() {
    JsonArray checks = new JsonArray();
    IntStream.range(0, 12).forEach(i -> checks.add(one("k2", "Fiels", 1)));
    JsonArray decisions =
        NodeFixture.json(check(new JsonObject().put("checks", checks))).getJsonArray("decisions");
    assertThat(decisions.stream().filter(it -> ((JsonObject) it).containsKey("nearest")))
        .hasSize(10);
    assertThat(decisions.stream().map(it -> ((JsonObject) it).getString("reason")))
        .hasSize(12)
        .containsOnly("operation_not_configured");
  }

  @Test
  void aBodyThatIsNoObjectIsRefusedWithThePlaceAndWithoutItsText() {
    Map.of(
            "{\"key\": \"a.b\",\n \"cost\" 1}", "broken JSON at line 2, column 9",
            "{\"key\": secret}", "broken JSON at line 1, column 9",
            "[1]", "another JSON value",
            "{} 5", "more than one JSON value",
            "", "nothing")
        .forEach((body, why) -> {
          HttpResponse<String> response = node.post("/v1/check", body);
          assertThat(response.statusCode()).isEqualTo(400);
          assertThat(NodeFixture.json(response).getJsonArray("errors"))
              .isEqualTo(JsonArray.of("the body: %s (expected: a JSON object)".formatted(why)));
        });
    HttpResponse<String> reservation = node.post(
        "/v1/reservations", "{\"cost\"\n:]", "Authorization", "Bearer " + NodeFixture.SERVICE);
    assertThat(reservation.body()).contains("broken JSON at line 2, column 2");
  }

  @Test
  void aTextInPlaceOfANumberIsShownWithItsQuotes() {
    String check = "{\"key\": \"a.b\", \"operation\": \"Files\", \"cost\": \"1\"}";
    assertThat(NodeFixture.json(node.post("/v1/check", check))
            .getJsonArray("errors")
            .getString(0))
        .startsWith("cost: \"1\" (expected: a whole number");
    HttpResponse<String> reservation = node.post(
        "/v1/reservations",
        subject("k2").put("cost", "1").put("leaseMs", true).encode(),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE);
    assertThat(NodeFixture.json(reservation).getJsonArray("errors").stream())
        .anySatisfy(it -> assertThat(it).asString().startsWith("cost: \"1\" (expected: "))
        .anySatisfy(it -> assertThat(it).asString().startsWith("leaseMs: true (expected: "));
  }

  @Test
  void wrongKeysAre401AndNothingOfTheListIsTaken() {
    JsonObject list = new JsonObject()
        .put(
            "checks",
            new JsonArray()
                .add(one("k5", "Files", 7))
                .add(one("k5", "Files", 1).put("key", "k5.wrong-secret")));
    HttpResponse<String> response = check(list);
    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(NodeFixture.json(response).getJsonArray("errors"))
        .isEqualTo(JsonArray.of("checks[1].key"));
    assertThat(response.body()).doesNotContain("secret");
    assertThat(NodeFixture.json(check(one("k5", "Files", 7))).getString("decision"))
        .isEqualTo("allowed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "0",
        "1.5",
        "1e2",
        "9007199254740992",
        "99999999999999999999",
        "\"1\"",
        "null",
        "[]",
        "{}"
      })
  void wrongCostsAre400(String cost) {
    HttpResponse<String> response = node.post(
        "/v1/check",
        "{\"key\": \"%s\", \"operation\": \"Files\", \"cost\": %s}"
            .formatted(TestPolicies.key("k6"), cost));
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(response).getJsonArray("errors").getString(0))
        .contains("cost: ", "expected: a whole number from 1 to 9007199254740991");
    assertThat(response.body()).doesNotContain("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "5",
        "\"text\"",
        "{}",
        "{\"checks\": {}}",
        "{\"checks\": []}",
        "{\"checks\": [5]}",
        "{\"operation\": \"Files\"}",
        "{\"key\": 5, \"operation\": \"Files\"}",
        "{\"key\": \"a.b\", \"subject\": \"a\", \"operation\": \"Files\"}",
        "{\"key\": \"a.b\", \"operation\": \"Files\", \"colour\": \"blue\"}",
        "{\"key\": \"a.b\", \"operation\": \"\"}",
        "{\"checks\": [{\"key\": \"a.b\", \"operation\": \"Files\"}], \"key\": \"a.b\"}"
      })
  void aBodyThatCannotBeReadIs400(String body) {
    HttpResponse<String> response = node.post("/v1/check", body);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(response).getString("code")).isEqualTo("check_invalid");
    assertThat(NodeFixture.json(response).getJsonArray("errors")).isNotEmpty();
    assertThat(response.body()).doesNotContain("Exception", "io.weir");
  }

  @Test
  void allMistakesAreReportedAtOnce() {
    HttpResponse<String> response = node.post(
        "/v1/check",
        "{\"checks\": [{\"key\": \"a.b\", \"cost\": 0}, {\"subject\": \"x\", \"operation\": \"P\", \"extra\": 1}]}");
    assertThat(NodeFixture.json(response).getJsonArray("errors")).hasSize(3);
  }

  @Test
  void tenThousandChecksAreTooMany() {
    String item = "{\"key\":\"a.b\",\"operation\":\"Files\"}";
    String body = IntStream.range(0, 10_000)
        .mapToObj(i -> item)
        .collect(Collectors.joining(",", "{\"checks\":[", "]}"));
    assertThat(node.post("/v1/check", body).statusCode()).isEqualTo(413);
    HttpResponse<String> response =
        node.post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(response).getJsonArray("errors").getString(0))
        .isEqualTo("checks: more than 1000 (expected: at most 1000)");
  }

  @Test
  void aThousandChecksAreDecided() {
    JsonArray checks = new JsonArray();
    IntStream.range(0, 1000).forEach(i -> checks.add(one("k6", "Echo", 1)));
    HttpResponse<String> response = check(new JsonObject().put("checks", checks));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(response).getJsonArray("decisions")).hasSize(1000);
  }

  @Test
  void aBodyOfMegabytesIs413() {
    HttpResponse<String> response = node.post("/v1/check", "x".repeat(2 << 20));
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(NodeFixture.json(response).getString("code")).isEqualTo("body_too_long");
  }

  @Test
  void anotherMethodIs405() {
    assertThat(node.get("/v1/check").statusCode()).isEqualTo(405);
  }

  private static HttpResponse<String> check(JsonObject body) {
    return node.post("/v1/check", body.encode());
  }

  private static HttpResponse<String> checkOf(String id, String token) {
    return node.post("/v1/check", subject(id).encode(), "Authorization", "Bearer " + token);
  }

  private static HttpResponse<String> service(JsonObject body) {
    return node.post("/v1/check", body.encode(), "Authorization", "Bearer " + NodeFixture.SERVICE);
  }

  private static JsonObject subject(String id) {
    return new JsonObject().put("subject", id).put("operation", "Files");
  }

  private static JsonObject one(String id, String operation, long cost) {
    return new JsonObject()
        .put("key", TestPolicies.key(id))
        .put("operation", operation)
        .put("cost", cost);
  }
}
