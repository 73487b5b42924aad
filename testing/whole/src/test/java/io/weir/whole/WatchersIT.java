package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Those who watch a node see nothing any more once they may not look. */
final class WatchersIT {
  private static final String POLICY = """
      buckets: [{ name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
      """;

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  private static HttpResponse<String> send(
      String method, String path, String token, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(node.uri(path)).method(method, BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return node.send(request);
  }

  private static Socket watch(String header) {
    Socket socket = node.connect();
    NodeFixture.write(socket, "GET /v1/live HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n".formatted(header));
    return socket;
  }

  private static void awaitText(Socket socket, String text) {
    StringBuilder read = new StringBuilder();
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      read.append(NodeFixture.read(socket, 500));
      return read.indexOf(text) >= 0;
    });
  }

  @Test
  void theStreamOfASessionEndsWithIt() throws Exception {
    HttpResponse<String> begun = send("POST", "/v1/session", NodeFixture.ADMIN, "");
    String cookie = begun.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
    try (Socket socket = watch("Cookie: " + cookie)) {
      awaitText(socket, "event: pulse");
      String csrf = NodeFixture.json(begun).getString("csrf");
      assertThat(send("DELETE", "/v1/session", "", "", "Cookie", cookie, "Weir-Csrf", csrf)
              .statusCode())
          .isEqualTo(204);

      awaitText(socket, "0\r\n\r\n"); // the last chunk
    }
  }

  @Test
  void theStreamOfATokenEndsWhenItIsDeleted() throws Exception {
    HttpResponse<String> made =
        send("POST", "/v1/tokens", NodeFixture.ADMIN, "{\"name\":\"eve\",\"scope\":\"read\"}");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    String token = NodeFixture.json(made).getString("token");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> send("GET", "/v1/nodes", token, "").statusCode() == 200);
    try (Socket socket = watch("Authorization: Bearer " + token)) {
      awaitText(socket, "event: pulse");
      assertThat(send("DELETE", "/v1/tokens/eve", NodeFixture.ADMIN, "").statusCode())
          .isEqualTo(204);

      awaitText(socket, "0\r\n\r\n");
    }
  }
}
