package io.weir.node.envoy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.buffer.Buffer;
import io.weir.node.config.Tls;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.TestCertificate;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The port for Envoy: health, strangers, TLS, and an outage of Redis. */
final class EnvoyPortIT extends EnvoyCaller {
  private static final int GO_AWAY = 7;
  private static final int READ_MILLIS = 60_000;
  /** The streams that a connection may have open. */
  private static final int MOST_STREAMS = 100;
  /** Fewer than end the connection. */
  private static final int REFUSED = 100;

  /** More than Vert.x bears by itself in half a minute. */
  private static final int GIVEN_UP = 300;

  private static final int RST_STREAM = 3;
  private static final int CANCEL = 8;
  private static final int END_STREAM = 1;

  @Test
  void healthIsServed() {
    assertThat(call(HEALTH, Buffer.buffer(), new Metadata()).getBytes()).containsExactly(8, 1);
    Buffer named =
        new MessageWriter().add(1, LIMITS.substring(0, LIMITS.indexOf('/'))).bytes();
    assertThat(call(HEALTH, named, new Metadata()).getBytes()).containsExactly(8, 1);
    assertThat(statusOf(
            () -> call(HEALTH, new MessageWriter().add(1, "other").bytes(), new Metadata())))
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  void strangersHaveSmallMessagesAndTakeNoConnectionFromServices() throws IOException {
    assertThat(statusOf(() -> call(HEALTH, Buffer.buffer(new byte[600]), new Metadata())))
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    List<Socket> strangers = new ArrayList<>();
    ManagedChannel service = plaintext();
    ManagedChannel late = plaintext();
    try {
      call(service, LIMITS, message(1, descriptor("address=9.1")), token());
      // More than both event loops keep.
      for (int i = 0; i < 300; i++) {
        strangers.add(beginning(port));
      }
      call(late, LIMITS, message(1, descriptor("address=9.1")), token());
      assertThat(service.getState(false)).isEqualTo(ConnectivityState.READY);
    } finally {
      service.shutdownNow();
      late.shutdownNow();
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
  }

  // The preface of HTTP/2 with empty settings (RFC 9113, section 3.4).
  private static Socket beginning(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
    return socket;
  }

  // RFC 9113, section 6.8.
  @Test
  void aNodeThatStopsAnswersTheCallsThatItsGoAwayCrosses() throws IOException {
    int ownPort = FreePorts.one();
    try (NodeFixture stopping = NodeFixture.withEnvoy(POLICY, ownPort, Optional.empty());
        Socket client = beginning(ownPort)) {
      DataInputStream answers = new DataInputStream(client.getInputStream());
      byte[] first = answers.readNBytes(9);
      answers.skipNBytes(length(first));
      stopping.node().close();
      byte[] head = answers.readNBytes(9);
      while (head[3] != GO_AWAY) {
        answers.skipNBytes(length(head));
        head = answers.readNBytes(9);
      }
      assertThat(answers.readInt()).isEqualTo(Integer.MAX_VALUE);
    }
  }

  // The first three bytes of the head of a frame (RFC 9113, section 4.1).
  private static int length(byte[] head) {
    return Byte.toUnsignedInt(head[0]) << 16
        | Byte.toUnsignedInt(head[1]) << 8
        | Byte.toUnsignedInt(head[2]);
  }

  @Test
  void streamsAreBoundedForACallerThatDoesNotAcknowledgeTheBound() throws IOException {
    try (Socket socket = beginning(port)) {
      socket.setSoTimeout(READ_MILLIS);
      for (int i = 0; i < MOST_STREAMS + REFUSED; i++) {
        socket.getOutputStream().write(openHealthCheck(2 * i + 1));
      }
      DataInputStream in = new DataInputStream(socket.getInputStream());
      List<Integer> reset = new ArrayList<>();
      while (reset.size() < REFUSED) {
        readFrame(in, reset);
      }
      assertThat(reset).startsWith(2 * MOST_STREAMS + 1).endsWith(2 * (MOST_STREAMS + REFUSED) - 1);
    }
  }

  @Test
  void aConnectionOutlivesCallsThatItsCallerGivesUp() throws IOException {
    try (Socket socket = beginning(port)) {
      socket.setSoTimeout(READ_MILLIS);
      Buffer frames = Buffer.buffer();
      for (int i = 0; i < GIVEN_UP; i++) {
        frames.appendBytes(openHealthCheck(2 * i + 1)).appendBuffer(reset(2 * i + 1));
      }
      int last = 2 * GIVEN_UP + 1;
      frames.appendBytes(openHealthCheck(last)).appendBuffer(emptyMessage(last));
      socket.getOutputStream().write(frames.getBytes());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      int answered = 0;
      while (answered != last) {
        answered = readFrame(in, new ArrayList<>());
      }
    }
  }

  private static Buffer reset(int stream) {
    return Buffer.buffer()
        .appendMedium(4)
        .appendBytes(new byte[] {RST_STREAM, 0})
        .appendInt(stream)
        .appendInt(CANCEL);
  }

  private static Buffer emptyMessage(int stream) {
    return Buffer.buffer()
        .appendMedium(5)
        .appendBytes(new byte[] {0, END_STREAM})
        .appendInt(stream)
        .appendBytes(new byte[5]);
  }

  // Headers of a call whose message never comes (RFC 9113, section 6.2; RFC 7541, section 6.2.2).
  private static byte[] openHealthCheck(int stream) {
    Buffer headers = Buffer.buffer().appendBytes(new byte[] {(byte) 0x83, (byte) 0x86});
    literal(headers, new byte[] {0x04}, "/" + HEALTH);
    literal(headers, new byte[] {0x01}, "x");
    literal(headers, new byte[] {0x0f, 0x10}, "application/grpc");
    return Buffer.buffer()
        .appendMedium(headers.length())
        .appendBytes(new byte[] {1, 4})
        .appendInt(stream)
        .appendBuffer(headers)
        .getBytes();
  }

  private static void literal(Buffer headers, byte[] name, String value) {
    headers.appendBytes(name).appendByte((byte) value.length()).appendString(value);
  }

  private static int readFrame(DataInputStream in, List<Integer> reset) throws IOException {
    int length = (in.readUnsignedShort() << 8) | in.readUnsignedByte();
    int type = in.readUnsignedByte();
    in.readUnsignedByte();
    int stream = in.readInt();
    in.readNBytes(length);
    if (type == RST_STREAM) {
      reset.add(stream);
    }
    return stream;
  }

  @Test
  void aCallerOfHttp11GetsOneAnswer() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(READ_MILLIS);
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20).getBytes(US_ASCII));
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes())
          .asString()
          .containsOnlyOnce("HTTP/1.1 505 ");
    }
  }

  @Test
  void thePortHasTheTlsOfCallers() throws IOException {
    int ownPort = FreePorts.one();
    try (TestCertificate certificate = TestCertificate.of("localhost")) {
      Tls tls = new Tls(certificate.certificate(), certificate.key(), Optional.empty());
      try (NodeFixture secured = NodeFixture.withEnvoy(POLICY, ownPort, Optional.of(tls))) {
        assertThat(secured.node()).isNotNull();
        ManagedChannel own = NettyChannelBuilder.forAddress("localhost", ownPort)
            .sslContext(GrpcSslContexts.forClient()
                .trustManager(certificate.certificate().toFile())
                .build())
            .build();
        try {
          assertThat(
                  EnvoyAnswer.of(call(own, LIMITS, message(1, descriptor("address=9.1")), token()))
                      .isOver())
              .isFalse();
        } finally {
          own.shutdownNow();
        }
      }
    }
  }

  @Test
  void whileRedisIsAwayTheFailureModeOfTheDomainCounts() {
    int ownPort = FreePorts.one();
    String policy = """
        buckets: []
        envoy:
          shared: { failureMode: local, rules: [{ match: [{ key: a }], requests: 1, per: day }, { match: [{ key: b }], requests: 9, per: day }] }
          open: { failureMode: allow, rules: [{ match: [{ key: a }], requests: 1, per: day }] }
          closed: { failureMode: deny, rules: [{ match: [{ key: a }], requests: 1, per: day }, { match: [{ key: tried }], requests: 1, per: day, mode: audit }] }
        """;
    try (RedisProcess redis = RedisProcess.start();
        NodeFixture losing = NodeFixture.withEnvoyLosing(redis.uri(), policy, ownPort)) {
      ManagedChannel own =
          NettyChannelBuilder.forAddress("127.0.0.1", ownPort).usePlaintext().build();
      try {
        assertThat(losing.node()).isNotNull();
        redis.kill();
        EnvoyAnswer open =
            EnvoyAnswer.of(call(own, LIMITS, in("open", descriptor("a=1")), token()));
        assertThat(open.isOver()).isFalse();
        assertThat(open.headers()).containsEntry("Weir-Degraded", "shared-state-away");
        EnvoyAnswer closed =
            EnvoyAnswer.of(call(own, LIMITS, in("closed", descriptor("a=1")), token()));
        assertThat(closed.isOver()).isTrue();
        assertThat(closed.headers())
            .containsEntry("Weir-Degraded", "shared-state-away")
            .containsKey("Retry-After");
        assertThat(EnvoyAnswer.of(call(own, LIMITS, in("closed", descriptor("tried=1")), token()))
                .isOver())
            .isFalse();
        for (MessageWriter asked : List.of(descriptor("a=1", 0), refund("a=1", 1))) {
          EnvoyAnswer looked = EnvoyAnswer.of(call(own, LIMITS, in("open", asked), token()));
          assertThat(looked.isOver()).isFalse();
          assertThat(looked.headers()).containsKey("Weir-Degraded");
          assertThat(EnvoyAnswer.of(call(own, LIMITS, in("closed", asked), token()))
                  .isOver())
              .isTrue();
        }
        EnvoyAnswer shared = EnvoyAnswer.of(
            call(own, LIMITS, in("shared", descriptor("a=1"), descriptor("b=1")), token()));
        assertThat(shared.isOver()).isFalse();
        EnvoyAnswer denied = EnvoyAnswer.of(
            call(own, LIMITS, in("shared", descriptor("a=1"), descriptor("b=1")), token()));
        assertThat(denied.isOver()).isTrue();
        assertThat(denied.headers()).containsKeys("Weir-Degraded", "Retry-After");
      } finally {
        own.shutdownNow();
      }
    }
  }
}
