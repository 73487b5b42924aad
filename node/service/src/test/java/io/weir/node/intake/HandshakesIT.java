package io.weir.node.intake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.ServicePort;
import io.weir.node.config.Tls;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FreePorts;
import io.weir.testkit.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One address opens far more connections than a node keeps, and no port gets to its protocol on them. */
@Tag("isolation")
final class HandshakesIT {
  private static final int OF_LOOP = 40;
  private static final int HOSTILE = 400;
  private static final String HOSTILE_ADDRESS = "127.0.0.2";
  // A record of TLS with a handshake of 512 bytes, of which one arrives.
  private static final String HALF_HELLO = "\u0016\3\1\2\0\1";
  private static final String HALF_PREFACE = "PRI * HTTP/2.0\r\n";

  private static final Pattern LENGTH = Pattern.compile("content-length: (\\d+)");
  private static final TestCertificate CERTIFICATE = TestCertificate.of("localhost");
  private static final Pattern DISPLACED =
      Pattern.compile("displaced_total\\{outcome=\"closed\"} (\\d+)");

  private static Node secured;
  private static Node plain;

  private final List<Socket> sockets = new ArrayList<>();

  @BeforeAll
  static void start() {
    secured = new Node(
        Optional.of(new Tls(CERTIFICATE.certificate(), CERTIFICATE.key(), Optional.empty())));
    plain = new Node(Optional.empty());
  }

  @AfterAll
  static void stop() {
    secured.fixture.close();
    plain.fixture.close();
    CERTIFICATE.close();
  }

  @AfterEach
  void hangUp() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private enum Port {
    CALLERS,
    RESP,
    ENVOY
  }

  @ParameterizedTest
  @CsvSource({
    "CALLERS, true, nothing", "CALLERS, true, half", "RESP, true, nothing", "RESP, true, half",
    "ENVOY, true, nothing", "ENVOY, true, half", "CALLERS, false, nothing", "RESP, false, nothing",
    "ENVOY, false, nothing", "ENVOY, false, half"
  })
  void connectionsBeforeTheirProtocolMakeRoomForOthers(Port port, boolean isSecured, String sent)
      throws Exception {
    Node node = isSecured ? secured : plain;
    Socket kept = connect("127.0.0.1", node.number(Port.CALLERS));
    Socket client = isSecured ? secured(kept) : kept;
    assertThat(get(client, "/free/1")).startsWith("HTTP/1.1 204 ");
    long before = displaced(client);
    List<Socket> hostile = new ArrayList<>();
    for (int i = 0; i < HOSTILE; i++) {
      Socket idle = connect(HOSTILE_ADDRESS, node.number(port));
      hostile.add(idle);
      if (sent.equals("half")) {
        write(idle, isSecured ? HALF_HELLO : HALF_PREFACE);
      }
    }
    for (Socket first : hostile.subList(0, HOSTILE - 2 * OF_LOOP)) {
      assertThat(isClosed(first)).isTrue();
    }
    assertThat(displaced(client)).isGreaterThan(before);
    assertThat(get(client, "/free/1")).startsWith("HTTP/1.1 204 ");
  }

  /** A node with all ports. */
  private static final class Node {
    private final int resp = FreePorts.one();
    private final int envoy = FreePorts.one();
    private final NodeFixture fixture;

    Node(Optional<Tls> tls) {
      fixture = NodeFixture.withConnections(
          TestPolicies.slow(),
          OF_LOOP,
          Map.of(
              ServicePort.RESP, new Address("127.0.0.1", resp),
              ServicePort.ENVOY, new Address("127.0.0.1", envoy)),
          tls);
      fixture.upstreamAnswers(
          "/free/1", request -> request.response().setStatusCode(204).end());
    }

    int number(Port port) {
      return switch (port) {
        case CALLERS -> fixture.uri("/").getPort();
        case RESP -> resp;
        case ENVOY -> envoy;
      };
    }
  }

  private Socket connect(String from, int port) throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getAllByName(from)[0], 0);
    socket.setSoTimeout(60_000);
    sockets.add(socket);
    return socket;
  }

  private static Socket secured(Socket plain) throws Exception {
    SSLSocket socket = (SSLSocket)
        trusting().getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
    socket.startHandshake();
    return socket;
  }

  private static SSLContext trusting() throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(CERTIFICATE.certificate())) {
      trusted.setCertificateEntry(
          "node", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static void write(Socket socket, String text) throws IOException {
    try {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    } catch (SocketException e) {
      // It has made room already.
    }
  }

  private static long displaced(Socket socket) throws IOException {
    Matcher count = DISPLACED.matcher(get(socket, "/metrics"));
    assertThat(count.find()).isTrue();
    return Long.parseLong(count.group(1));
  }

  // The head of the answer, and its body.
  private static String get(Socket socket, String path) throws IOException {
    socket
        .getOutputStream()
        .write("GET %s HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n"
            .formatted(path, TestPolicies.key("k1"))
            .getBytes(ISO_8859_1));
    InputStream bytes = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = bytes.read();
      if (next < 0) {
        return head + "(closed)";
      }
      head.append((char) next);
    }
    Matcher length = LENGTH.matcher(head);
    byte[] body = bytes.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
    return head + new String(body, ISO_8859_1);
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // something of this side was not read
    }
  }
}
