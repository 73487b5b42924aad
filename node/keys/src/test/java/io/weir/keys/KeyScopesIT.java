package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What tokens of operators may do: by every route that the node describes. */
final class KeyScopesIT {
  @AutoClose
  private static NodeFixture fixture;

  private static Operating admin;

  @BeforeAll
  static void start() {
    fixture = NodeFixture.withOwnRedis(KeysPolicy.TEXT, FailureMode.DENY);
    admin = Operating.on(fixture);
  }

  private static Operating operator(String name, String more) {
    JsonObject made = admin.made("/v1/tokens", "{\"name\": \"%s\", %s}".formatted(name, more));
    Operating operator = admin.as(made.getString("token"));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> operator.ask("GET", "/v1/keys/none", "").statusCode() != 401);
    return operator;
  }

  /** A route for operators with the names of another tenant in it. */
  private record Asked(String method, String path) {}

  private static List<Asked> routesOfOperators(String id, String tenant) {
    JsonObject paths = NodeFixture.json(fixture.get("/openapi.json")).getJsonObject("paths");
    List<Asked> asked = new ArrayList<>();
    paths.forEach(path -> ((JsonObject) path.getValue()).forEach(route -> {
      boolean isForOperators = route.getValue() instanceof JsonObject described
          && described.encode().contains("adminToken");
      if (isForOperators) {
        String filled = path.getKey()
            .replace("{id}", id)
            .replace("{tenant}", tenant)
            .replace("{name}", "some-token")
            .replace("{revision}", "1");
        asked.add(new Asked(route.getKey().toUpperCase(Locale.ROOT), filled));
      }
    }));
    assertThat(asked).hasSizeGreaterThan(15);
    return asked;
  }

  @Test
  void aTokenOfOneTenantDoesNothingToAnother() {
    JsonObject other = admin.key("globex");
    String id = other.getString("id");
    admin.made("/v1/tenants", "{\"id\": \"globex\"}");
    for (String scope : List.of("read", "keys")) {
      Operating acme =
          operator("acme-" + scope, "\"scope\": \"%s\", \"tenant\": \"acme\"".formatted(scope));
      for (Asked asked : routesOfOperators(id, "globex")) {
        boolean isBody = !asked.method().equals("GET") && !asked.method().equals("DELETE");
        String body = isBody ? "{\"tenant\": \"globex\", \"id\": \"%s\"}".formatted(id) : "";
        HttpResponse<String> answer = acme.ask(asked.method(), asked.path(), body);
        boolean isOwnList = asked.path().equals("/v1/keys") && asked.method().equals("GET");
        if (isOwnList) {
          assertThat(answer.body()).doesNotContain("globex");
        } else {
          assertThat(answer.statusCode()).as(asked + " " + answer.body()).isIn(403, 404, 422);
        }
      }
      assertThat(acme.ask("GET", "/v1/keys?tenant=globex", "").statusCode()).isEqualTo(403);
      assertThat(acme.ask("GET", "/v1/keys?cursor=0.!", "").statusCode()).isEqualTo(400);
      assertThat(acme.ask("GET", "/v1/keys?cursor=-5.", "").statusCode()).isEqualTo(400);
    }
    JsonObject now = NodeFixture.json(admin.ask("GET", "/v1/keys/" + id, ""));
    assertThat(now.getLong("version")).isEqualTo(other.getLong("version"));
    assertThat(admin.check(other.getString("key")).statusCode()).isEqualTo(200);
  }

  @Test
  void noTokenAndAWrongOneOpenNothing() {
    for (Asked asked : routesOfOperators("k1", "acme")) {
      assertThat(admin
              .as("weir_acme-read.wrong")
              .ask(asked.method(), asked.path(), "")
              .statusCode())
          .as(asked.toString())
          .isEqualTo(401);
    }
  }

  @Test
  void aTenantsTokenManagesItsKeysAndNotTheirLimits() {
    Operating acme = operator("portal", "\"scope\": \"keys\", \"tenant\": \"acme\"");
    JsonObject own = acme.made("/v1/keys", "{\"note\": \"mine\"}");
    String one = "/v1/keys/" + own.getString("id");
    assertThat(own.getString("tenant")).isEqualTo("acme");
    assertThat(acme.ask("PATCH", one, "{\"note\": \"still mine\"}").statusCode())
        .isEqualTo(200);
    assertThat(acme.ask("POST", one + "/rotate", "").statusCode()).isEqualTo(200);
    assertThat(acme.ask("PATCH", one, "{\"plan\": \"big\"}").statusCode()).isEqualTo(403);
    assertThat(acme.ask("PATCH", one, "{\"overrides\": []}").statusCode()).isEqualTo(403);
    assertThat(acme.ask("POST", "/v1/keys", "{\"plan\": \"big\"}").statusCode()).isEqualTo(403);
    assertThat(admin.ask("PATCH", one, "{\"plan\": \"small\"}").statusCode()).isEqualTo(200);
    assertThat(acme.ask("DELETE", one, "").statusCode()).isEqualTo(403);
    assertThat(
            admin.ask("PATCH", one, "{\"plan\": null, \"state\": \"frozen\"}").statusCode())
        .isEqualTo(200);
    assertThat(acme.ask("PATCH", one, "{\"state\": \"active\"}").statusCode()).isEqualTo(403);
    assertThat(acme.ask("PATCH", one, "{\"state\": null}").statusCode()).isEqualTo(403);
    assertThat(acme.ask("DELETE", one, "").statusCode()).isEqualTo(403);
  }

  @Test
  void aTenantsOperatorLearnsNotWhichIdsOthersHave() {
    Operating acme = operator("curious", "\"scope\": \"keys\", \"tenant\": \"acme\"");
    String taken = admin.key("globex").getString("id");
    String own = acme.made("/v1/keys", "{}").getString("id");
    String free = "free-id";
    for (String id : List.of(taken, own, free, "listed")) {
      HttpResponse<String> answer = acme.ask("POST", "/v1/keys", "{\"id\": \"%s\"}".formatted(id));
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).contains("key_id_chosen");
    }
    for (String id : List.of(taken, free, "listed")) {
      for (String method : List.of("GET", "PATCH", "DELETE")) {
        assertThat(acme.ask(method, "/v1/keys/" + id, "").body()).contains("key_unknown");
      }
      assertThat(acme.ask("POST", "/v1/keys/" + id + "/rotate", "").body()).contains("key_unknown");
    }
  }

  @Test
  void hashesOfThePolicysKeysAreForTheScopeAllAlone() {
    String hash = SecretHash.of("a secret").formatted();
    String other = SecretHash.of("another secret").formatted();
    String with = KeysPolicy.TEXT + "  - { id: hashed, tenant: acme, secretHash: \"%s\" }\n";
    assertThat(admin.ask("PUT", "/v1/policy", with.formatted(hash)).statusCode())
        .isEqualTo(200);
    JsonObject put = NodeFixture.json(admin.ask("PUT", "/v1/policy", with.formatted(other)));
    String revision = "/v1/policy/revisions/" + put.getLong("revision");
    for (String scope : List.of("read", "keys")) {
      Operating reader = operator("hashes-" + scope, "\"scope\": \"%s\"".formatted(scope));
      for (String path : List.of("/v1/policy", revision, "/v1/policy/diff")) {
        assertThat(admin.ask("GET", path, "").body()).contains(other);
        assertThat(reader.ask("GET", path, "").body())
            .contains("(hidden)")
            .contains("id: hashed, tenant: acme")
            .doesNotContain(hash.substring(7))
            .doesNotContain(other.substring(7));
      }
    }
  }

  @Test
  void aReaderChangesNothingAndADeletedTokenEnds() {
    Operating reader = operator("reader", "\"scope\": \"read\"");
    JsonObject key = admin.key("acme");
    String one = "/v1/keys/" + key.getString("id");
    assertThat(reader.ask("GET", one, "").statusCode()).isEqualTo(200);
    assertThat(reader.ask("PATCH", one, "{\"note\": \"x\"}").statusCode()).isEqualTo(403);
    assertThat(reader.ask("GET", "/v1/keys?hashes=true", "").statusCode()).isEqualTo(403);
    assertThat(reader.ask("GET", "/v1/policy", "").statusCode()).isEqualTo(200);
    assertThat(reader.ask("PUT", "/v1/policy", "{}").statusCode()).isEqualTo(403);
    assertThat(admin.ask("DELETE", "/v1/tokens/reader", "").statusCode()).isEqualTo(204);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(reader.ask("GET", one, "").statusCode()).isEqualTo(401));
  }
}
