package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An operator with a session of the page makes keys as one who sends its token. */
final class KeysInSessionsIT {
  private static final String POLICY = """
      buckets: [{ name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
      """;
  private static final String[] WITH_TOKEN = {"Authorization", "Bearer " + NodeFixture.ADMIN};

  @AutoClose
  private static NodeFixture fixture;

  private static String[] inSession;

  @BeforeAll
  static void start() {
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    HttpResponse<String> begun = fixture.post("/v1/session", "", WITH_TOKEN);
    String cookie = begun.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
    inSession =
        new String[] {"Cookie", cookie, "Weir-Csrf", NodeFixture.json(begun).getString("csrf")};
  }

  private static HttpResponse<String> post(
      String path, String body, String repetition, String... who) {
    return fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .POST(BodyPublishers.ofString(body))
        .headers(who)
        .header("Idempotency-Key", repetition));
  }

  private static JsonObject done(int status, HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return NodeFixture.json(answer);
  }

  @Test
  void aRepeatedRequestOfASessionGetsTheSameKey() {
    String body = "{\"tenant\": \"acme\"}";
    JsonObject made = done(201, post("/v1/keys", body, "make", inSession));

    for (String[] who : List.of(inSession, WITH_TOKEN)) {
      assertThat(done(201, post("/v1/keys", body, "make", who)).getString("key"))
          .isEqualTo(made.getString("key"));
    }
    String rotate = "/v1/keys/" + made.getString("id") + "/rotate";
    JsonObject rotated = done(200, post(rotate, "{}", "rotate", inSession));
    assertThat(rotated.getString("key")).isNotEqualTo(made.getString("key"));
    assertThat(done(200, post(rotate, "{}", "rotate", inSession)).getString("key"))
        .isEqualTo(rotated.getString("key"));
  }

  @Test
  void aSessionThatAnotherSiteUsesMakesNothing() {
    HttpResponse<String> answer =
        post("/v1/keys", "{\"tenant\": \"acme\"}", "forged", inSession[0], inSession[1]);

    assertThat(done(403, answer).getString("code")).isEqualTo("csrf_invalid");
  }
}
