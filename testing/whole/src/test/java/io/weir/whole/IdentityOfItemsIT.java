package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An item of a batch is no way around the identity that its operation needs, or that a proxy vouches for. */
@Tag("work")
final class IdentityOfItemsIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Admin, match: { path: /admin }, identity: [clientCertificate] }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Admin] }] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
        k1: { tenant: acme, secretHash: "%s" }
      identity:
        header: { name: X-User, from: [10.0.0.0/8], tenant: users }
        clientCertificate: { tenant: machines }
      """.formatted(SecretHash.of("secret").formatted());

  @AutoClose
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers(
        "/ask", request -> request.response().end("user " + request.getHeader("X-User")));
    fixture.upstreamAnswers("/admin", request -> request.response().end("opened"));
  }

  private static HttpResponse<String> batch(String item) {
    return fixture.post("/v1/batch", "{\"items\": [%s]}".formatted(item), "X-Api-Key", "k1.secret");
  }

  @Test
  void anItemNeedsTheIdentityOfItsOperation() {
    HttpResponse<String> answer = batch("{\"method\": \"GET\", \"path\": \"/admin\"}");
    assertThat(answer.body()).contains("identity_not_accepted").doesNotContain("opened");
  }

  @Test
  void anItemDoesNotNameAnotherCaller() {
    HttpResponse<String> answer = batch(
        "{\"method\": \"GET\", \"path\": \"/ask\", \"headers\": {\"X-User\": \"admin\", \"x_user\": \"root\"}}");
    assertThat(answer.body()).contains("user null").doesNotContain("admin");
  }
}
