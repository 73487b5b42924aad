package io.weir.node.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node reads for a key is paid for by its limits, or bounded. */
@Tag("isolation")
final class UnpaidBodiesIT {
  private static final int MANY = 60;
  private static final long ENDLESS = 1L << 30;
  /** A little more than the buffers of two sockets hold. */
  private static final long MOST_ON_THE_WAY = 32 << 20;

  @AutoClose
  private static final NodeFixture node = new NodeFixture(policy(), FailureMode.DENY);

  private static String policy() {
    return TestPolicies.slow()
            .replace("maxBodyBytes: 100000", "maxBodyBytes: 10000000")
            .replace(
                "subjects:\n",
                "plans: { full: { buckets: [five, many], slots: off } }\ndefaults: { plan: full }\nsubjects:\n")
        + TestPolicies.subject("denied", "")
        + TestPolicies.subject("waiting", "")
        + TestPolicies.subject("large", "")
        + TestPolicies.subject("paying", ", unlimited: true");
  }

  @Test
  void aBodyIsNotReadIfNoCostInItWouldBeAdmitted() {
    assertThat(gas("denied", 7).statusCode()).isEqualTo(200);
    assertThat(gas("denied", 1).statusCode()).isEqualTo(429);
    String answer = node.raw(head("denied", ""));
    assertThat(answer).startsWith("HTTP/1.1 429 ").contains("quota_exceeded", "\"Gas\"");
    JsonObject problem = new JsonObject(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    // Until one operation fits, as after a body with the least cost.
    assertThat(problem.getLong("retryAfterMs")).isBetween(380_000L, 400_000L);
  }

  @Test
  void aBodyIsReadIfItsCostMayFitAndIfItsCallerHasWaited() {
    assertThat(gas("waiting", 5).statusCode()).isEqualTo(200);
    assertThat(gas("waiting", 5).statusCode()).isEqualTo(429);
    assertThat(node.raw(head("waiting", ""))).startsWith("HTTP/1.1 100 ");
    assertThat(gas("waiting", 2).statusCode()).isEqualTo(200);
    assertThat(gas("waiting", 1).statusCode()).isEqualTo(429);
    String ticket = "Retry-Ticket: 4000000000000000.1.0." + "a".repeat(20) + "\r\n";
    assertThat(node.raw(head("waiting", ticket))).startsWith("HTTP/1.1 100 ");
  }

  @Test
  void theBodyOfAFrozenKeyIsNotRead() {
    assertThat(node.raw(head("frozen", "")))
        .startsWith("HTTP/1.1 403 ")
        .contains("access_disabled");
  }

  @Test
  void theRestOfARefusedBodyIsReadUpToABound() throws IOException {
    String head =
        "POST /gas HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
            .formatted(TestPolicies.key("frozen"));
    byte[] chunk = ("10000\r\n" + "x".repeat(0x10000) + "\r\n").getBytes(ISO_8859_1);
    long sent = 0;
    try (Socket socket = node.connect()) {
      NodeFixture.write(socket, head);
      while (sent < ENDLESS) {
        socket.getOutputStream().write(chunk);
        sent += chunk.length;
      }
    } catch (IOException closed) {
      // The node has answered, and closed the connection.
    }
    assertThat(sent).isLessThan(MOST_ON_THE_WAY);
  }

  @Test
  void aConnectionGoesOnAfterARefusalWhoseBodyIsShort() {
    String refused =
        "POST /gas HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: 200000\r\n\r\n%s"
            .formatted(TestPolicies.key("frozen"), "x".repeat(200_000));
    String last = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assertThat(node.raw(refused + last)).startsWith("HTTP/1.1 403 ").contains("HTTP/1.1 200 ");
  }

  @Test
  void bodiesThatNoLimitPaysForAreBoundedAndOthersAreNot() {
    String spaces = " ".repeat(8_000_000);
    for (int i = 0; i < 20; i++) {
      assertThat(gas("paying", "1", spaces).statusCode()).isEqualTo(200);
    }
    int read = 0;
    HttpResponse<String> answer = gas("large", "0", spaces);
    while (answer.statusCode() == 400 && read < MANY) {
      read++;
      answer = gas("large", "0", spaces);
    }
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(read).isGreaterThanOrEqualTo(8);
    assertThat(NodeFixture.json(answer).getString("code")).isEqualTo("unpaid_bodies");
    assertThat(answer.headers().firstValueAsLong("Retry-After-Ms")).isPresent();
    assertThat(node.get("/echo/x", "X-Api-Key", TestPolicies.key("large")).statusCode())
        .isEqualTo(200);
  }

  // Closed by the node, which has not asked for the body; or left to itself once it has.
  private static String head(String key, String more) {
    return "POST /gas HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n%sExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
        .formatted(TestPolicies.key(key), more);
  }

  private static HttpResponse<String> gas(String key, int cost) {
    return gas(key, Integer.toString(cost), "");
  }

  private static HttpResponse<String> gas(String key, String cost, String more) {
    String body = "{\"gas\":{\"limit\":%s}}".formatted(cost) + more;
    return node.post("/gas", body, "X-Api-Key", TestPolicies.key(key));
  }
}
