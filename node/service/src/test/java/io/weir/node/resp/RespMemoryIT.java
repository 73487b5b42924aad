package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a service with the token can make a node keep for it. */
final class RespMemoryIT {
  private static final String POLICY = """
      operations: [{ name: Late, match: { path: /late } }]
      buckets: [{ name: late, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 17, operations: [Late] }] }]
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("k1", "");
  private static final String AUTH = "AUTH " + NodeFixture.SERVICE + "\r\n";
  private static final String OK = "+OK\r\n";
  private static final int READ_MILLIS = 10_000;
  /** More connections than may keep so much. */
  private static final int MANY = 2000;

  private final List<Socket> sockets = new ArrayList<>();
  private int port;
  private NodeFixture fixture;

  @BeforeEach
  void start() throws IOException {
    port = FreePorts.one();
    fixture = NodeFixture.withResp(POLICY, port);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    fixture.close();
  }

  @Test
  void commandsWithoutAnEndTakeAPartOfTheMemory() throws IOException {
    String word = "$4096\r\n" + "x".repeat(4096) + "\r\n";
    byte[] unfinished =
        ("*32\r\nECHO\r\n".replace("ECHO", "$4\r\nECHO") + word.repeat(30)).getBytes(ISO_8859_1);
    int kept = 0;
    while (kept < MANY && isKept(unfinished)) {
      kept++;
    }
    assertThat(kept)
        .as("connections with %d bytes each", unfinished.length)
        .isBetween((int) (Runtime.getRuntime().maxMemory() / 64 / unfinished.length), MANY - 1);
    Socket other = connected("127.0.0.2");
    other.getOutputStream().write(unfinished);
    other.getOutputStream().write((word + "QUIT\r\n").getBytes(ISO_8859_1));
    assertThat(other.getInputStream().readAllBytes())
        .asString()
        .isEqualTo("$4096\r\n" + "x".repeat(4096) + "\r\n" + OK);
  }

  // A connection that is refused its memory gets an error, or its end.
  private boolean isKept(byte[] bytes) throws IOException {
    Socket socket = connected("127.0.0.1");
    socket.setSoTimeout(1);
    try {
      socket.getOutputStream().write(bytes);
      int unused = socket.getInputStream().read();
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    } catch (SocketException e) {
      return false;
    }
  }

  private Socket connected(String from) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(READ_MILLIS);
    socket.getOutputStream().write(AUTH.getBytes(ISO_8859_1));
    assertThat(socket.getInputStream().readNBytes(OK.length())).asString().isEqualTo(OK);
    return socket;
  }
}
