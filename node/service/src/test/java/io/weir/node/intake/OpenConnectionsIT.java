package io.weir.node.intake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.ServicePort;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One address opens far more connections than a node keeps. */
@Tag("isolation")
final class OpenConnectionsIT {
  private static final int OF_LOOP = 40;
  private static final int HOSTILE = 400;
  private static final String KEY = "X-Api-Key: " + TestPolicies.key("k1") + "\r\n";
  // Every address of 127.0.0.0/8 is of this machine.
  private static final String HOSTILE_ADDRESS = "127.0.0.2";

  private static final int RESP = FreePorts.one();
  private static final int ENVOY = FreePorts.one();

  @AutoClose
  private static NodeFixture node;

  private final List<Socket> sockets = new ArrayList<>();

  @BeforeAll
  static void start() {
    node = NodeFixture.withConnections(
        // A long timeout: the upstream answers when the hostile address has connected.
        TestPolicies.slow().replace("timeoutMs: 2500", "timeoutMs: 60000"),
        OF_LOOP,
        Map.of(
            ServicePort.RESP,
            new Address("127.0.0.1", RESP),
            ServicePort.ENVOY,
            new Address("127.0.0.1", ENVOY)),
        Optional.empty());
  }

  @AfterEach
  void hangUp() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private Socket connect(String from, int port) throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getAllByName(from)[0], 0);
    socket.setSoTimeout(60_000);
    sockets.add(socket);
    return socket;
  }

  private static String free(int number) {
    return "GET /free/%d HTTP/1.1\r\nHost: x\r\n%s\r\n".formatted(number, KEY);
  }

  // The upstream's answer has no body.
  private static String head(Socket socket) throws IOException {
    return until(socket, "\r\n\r\n");
  }

  private static String until(Socket socket, String end) throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream bytes = socket.getInputStream();
    while (text.indexOf(end) < 0) {
      int next = bytes.read();
      if (next < 0) {
        return text + "(closed)";
      }
      text.append((char) next);
    }
    return text.toString();
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // something of this side was not read
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  @Test
  void othersKeepTheirConnectionsAndAnOpenRequestIsAnswered() throws Exception {
    CompletableFuture<HttpServerRequest> arrived = new CompletableFuture<>();
    node.upstreamAnswers("/free/0", arrived::complete);
    node.upstreamAnswers(
        "/free/1", request -> request.response().setStatusCode(204).end());
    Socket open = connect(HOSTILE_ADDRESS, node.uri("/").getPort());
    send(open, free(0));
    HttpServerRequest waiting = arrived.get();
    Socket kept = connect("127.0.0.1", node.uri("/").getPort());
    send(kept, free(1));
    assertThat(head(kept)).startsWith("HTTP/1.1 204 ");
    Socket redis = connect("127.0.0.1", RESP);
    send(redis, "AUTH %s\r\n".formatted(NodeFixture.SERVICE));
    assertThat(until(redis, "\r\n")).isEqualTo("+OK\r\n");

    List<Socket> hostile = new ArrayList<>();
    for (int i = 0; i < HOSTILE; i++) {
      Socket idle = connect(HOSTILE_ADDRESS, node.uri("/").getPort());
      hostile.add(idle);
      if (i % 2 == 0) {
        send(idle, "GET /free/1 HTTP/1.1\r\nHost: x\r\n"); // half a head is no request
      }
    }
    // Connections of this address arrive after the hostile ones, on both event loops.
    for (int i = 0; i < 4; i++) {
      Socket late = connect("127.0.0.1", node.uri("/").getPort());
      send(late, free(1));
      assertThat(head(late)).startsWith("HTTP/1.1 204 ");
    }
    send(kept, free(1));
    assertThat(head(kept)).startsWith("HTTP/1.1 204 ");
    send(redis, "PING\r\n");
    assertThat(until(redis, "\r\n")).isEqualTo("+PONG\r\n");
    waiting.response().setStatusCode(204).end();
    assertThat(head(open)).startsWith("HTTP/1.1 204 ");
    for (Socket first : hostile.subList(0, HOSTILE - 2 * OF_LOOP)) {
      assertThat(isClosed(first)).isTrue();
    }
  }

  @Test
  void theBoundIsOneForAllPorts() throws Exception {
    node.upstreamAnswers(
        "/free/1", request -> request.response().setStatusCode(204).end());
    Socket kept = connect("127.0.0.1", node.uri("/").getPort());
    send(kept, free(1));
    assertThat(head(kept)).startsWith("HTTP/1.1 204 ");
    List<Socket> hostile = new ArrayList<>();
    for (int i = 0; i < HOSTILE; i++) {
      Socket idle = connect(HOSTILE_ADDRESS, RESP);
      send(idle, "AUTH %s\r\n".formatted(NodeFixture.SERVICE));
      assertThat(until(idle, "\r\n")).isEqualTo("+OK\r\n");
      hostile.add(idle);
    }
    Socket service = connect("127.0.0.1", ENVOY);
    // The preface of HTTP/2 with empty settings (RFC 9113, section 3.4), which is answered by
    // settings.
    send(service, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0");
    assertThat(service.getInputStream().readNBytes(4)[3]).isEqualTo((byte) 4);
    send(kept, free(1));
    assertThat(head(kept)).startsWith("HTTP/1.1 204 ");
    for (Socket first : hostile.subList(0, HOSTILE - 2 * OF_LOOP)) {
      assertThat(isClosed(first)).isTrue();
    }
  }
}
