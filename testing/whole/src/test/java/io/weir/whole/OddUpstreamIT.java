package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An upstream that violates HTTP. */
final class OddUpstreamIT {
  private static ServerSocket upstream;
  private static NodeFixture node;
  private static volatile String answer = "";

  @BeforeAll
  static void start() throws IOException {
    upstream = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(OddUpstreamIT::serve);
    thread.setDaemon(true);
    thread.start();
    node = new NodeFixture(
        TestPolicies.slow().replace("UPSTREAM", Integer.toString(upstream.getLocalPort())),
        FailureMode.DENY);
  }

  @AfterAll
  static void stop() throws IOException {
    node.close();
    upstream.close();
  }

  @ParameterizedTest
  @CsvSource({
    "502, upstream_invalid, garbage of some kind",
    "502, upstream_invalid, HTTP/1.1 abc No Number",
    "502, upstream_invalid, HTTP/1.1 101 Switching Protocols",
    "502, upstream_unreachable, ''"
  })
  void anAnswerThatIsNoneIsBlamedOnTheUpstream(int status, String code, String line) {
    answer = line.isEmpty() ? "" : line + "\r\nContent-Length: 0\r\n\r\n";
    HttpResponse<String> response = node.get("/echo/x", "X-Api-Key", TestPolicies.key("k2"));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(NodeFixture.json(response).getString("code")).isEqualTo(code);
    assertThat(NodeFixture.json(response).getBoolean("sent")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"102 Processing", "103 Early Hints", "100 Continue", "199 Odd"})
  void theFinalAnswerFollowsInterimOnes(String status) {
    String interim = "HTTP/1.1 %s\r\nLink: </style.css>\r\n\r\n".formatted(status);
    answer = interim.repeat(3)
        + "HTTP/1.1 201 Created\r\nX-From: final\r\nContent-Length: 4\r\n\r\nmade";
    HttpResponse<String> response = node.get("/echo/x", "X-Api-Key", TestPolicies.key("k2"));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    assertThat(response.headers().firstValue("X-From")).hasValue("final");
    assertThat(response.headers().firstValue("Link")).isEmpty();
    assertThat(response.body()).isEqualTo("made");
    HttpResponse<String> batch = node.post(
        "/v1/batch",
        "{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/x\"}]}",
        "X-Api-Key",
        TestPolicies.key("k2"));
    assertThat(
            NodeFixture.json(batch).getJsonArray("results").getJsonObject(0).getInteger("status"))
        .as(batch.body())
        .isEqualTo(201);
  }

  private static void serve() {
    while (!upstream.isClosed()) {
      try (Socket socket = upstream.accept()) {
        byte[] request = new byte[4096];
        int read = socket.getInputStream().read(request);
        if (read > 0) {
          socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
          socket.getOutputStream().flush();
        }
      } catch (IOException e) {
        if (!upstream.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
