package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoProviders;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Programs that send to providers themselves. */
final class PermitsIT extends TwoProviders {
  private HttpResponse<String> permit(String path, String body) {
    return fixture.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE);
  }

  @Test
  void aProgramThatSendsByItselfSharesTheKeys() {
    JsonObject first = NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"two\"}"));
    assertThat(first.getString("provider")).isEqualTo("a");
    assertThat(first.getInteger("leaseMs")).isEqualTo(15_000);
    String path = "/v1/permits/" + first.getString("permit");
    assertThat(permit(path + "/renew", "").statusCode()).isEqualTo(200);
    String told = "{\"status\": 429, \"retryAfterMs\": 60000}";
    assertThat(NodeFixture.json(permit(path + "/release", told)).getBoolean("held"))
        .isTrue();
    assertThat(NodeFixture.json(permit(path + "/release", told)).getBoolean("held"))
        .isFalse();
    assertThat(permit(path + "/renew", "").statusCode()).isEqualTo(404);
    // The gateway uses the report, too.
    for (int i = 0; i < 3; i++) {
      get("/ask");
      String next =
          NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"two\"}")).getString("key");
      assertThat(next).isNotEqualTo(first.getString("key"));
    }
    assertThat(permit("/v1/permits", "{\"upstream\": \"none\"}").statusCode()).isEqualTo(404);
    HttpResponse<String> bad = permit("/v1/permits", "{\"up\": 1, \"waitMs\": -1}");
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(bad).getJsonArray("errors")).hasSize(3);
    assertThat(fixture.post("/v1/permits", "{}").statusCode()).isEqualTo(401);
  }

  @Test
  void aWaitingRequestIsRefusedWhenTheReleaseNamesALongerWait() throws Exception {
    JsonObject first = NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"shared\"}"));
    CompletableFuture<HttpResponse<String>> second = CompletableFuture.supplyAsync(
        () -> permit("/v1/permits", "{\"upstream\": \"shared\", \"waitMs\": 3000}"));
    await()
        .until(() -> fixture
            .get("/metrics")
            .body()
            .contains("throttle_upstream_queue{upstream=\"shared\"} 1"));
    permit(
        "/v1/permits/" + first.getString("permit") + "/release",
        "{\"status\": 429, \"retryAfterMs\": 7200000}");
    assertThat(second.get().statusCode()).isEqualTo(503);
  }

  @Test
  void aReportOfAPermitIsCheckedAndCountsOnce() {
    JsonObject taken = NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"two\"}"));
    String path = "/v1/permits/" + taken.getString("permit");
    for (int i = 0; i < 10; i++) {
      assertThat(
              NodeFixture.json(permit(path + "/release", "{\"status\": 500}")).getBoolean("held"))
          .isEqualTo(i == 0);
    }
    // Ten failures would have opened its breaker.
    assertThat(get("/ask").body()).isEqualTo("fine");
    assertThat(sent.get(0)).hasSize(1);
    String id = path.substring(0, path.lastIndexOf('.')).replaceAll(".*\\.", "");
    for (String madeUp : List.of("two.none.k1.", "two.a.none.", "none.a.k1.", "two.b.k1.")) {
      assertThat(permit("/v1/permits/" + madeUp + id + ".0/release", "").statusCode())
          .as(madeUp)
          .isEqualTo(404);
    }
    String group = "{\"upstream\": \"two\", \"group\": \"made-up\"}";
    assertThat(permit("/v1/permits", group).statusCode()).isEqualTo(404);
  }

  @Test
  void bodiesOfPermitsAreBounded() {
    for (String path : List.of(
        "/v1/permits", "/v1/permits/two.a.k1.x.0/release", "/v1/permits/two.a.k1.x.0/renew")) {
      assertThat(permit(path, " ".repeat(8193)).statusCode()).as(path).isEqualTo(413);
    }
  }
}
