package io.weir.node.intake;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.transport.Transport;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.Throttle;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.envoy.Corrections;
import io.weir.node.envoy.EnvoyServer;
import io.weir.node.envoy.NodeAssignments;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.state.assignment.RedisAssignments;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.FreePorts;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The port for Envoy sends the answers to many calls of one connection by few calls of the system. Counted, at the end of the
 * pipeline that is next to the socket.
 */
final class EnvoyFlushesIT {
  private static final int CALLS = 64;
  private static final int HEADERS = 1;
  private static final int END_STREAM = 1;

  private final int port = FreePorts.one();
  private final AtomicInteger flushes = new AtomicInteger();
  private final NodeMetrics metrics = new NodeMetrics();
  private final RedisDatabase redis = RedisDatabase.open();
  private final RedisConnections connections =
      RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
  private final Vertx vertx =
      Vertx.builder().withTransport(counting(Transport.NIO)).build();

  @BeforeEach
  void start() {
    vertx
        .deployVerticle(new VerticleBase() {
          @Override
          public Future<?> start() {
            return server(vertx).listen(new Address("127.0.0.1", port));
          }
        })
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    connections.close();
    redis.close();
  }

  @Test
  void answersOfAConnectionAreSentTogether() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      DataInputStream answers = new DataInputStream(socket.getInputStream());
      // The preface with empty settings (RFC 9113, section 3.4), and a call.
      Buffer first = Buffer.buffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0");
      socket.getOutputStream().write(first.appendBuffer(healthCheck(1)).getBytes());
      awaitAnswers(answers, 1);
      socket.getOutputStream().write(healthCheck(3).getBytes());
      awaitAnswers(answers, 1);
      flushes.set(0);
      Buffer calls = Buffer.buffer();
      for (int i = 2; i < 2 + CALLS; i++) {
        calls.appendBuffer(healthCheck(2 * i + 1));
      }
      socket.getOutputStream().write(calls.getBytes());
      awaitAnswers(answers, CALLS);
    }
    // Vert.x alone sends the head, the message and the trailer of each answer by themselves.
    assertThat(flushes.get()).isBetween(1, CALLS - 1);
  }

  private EnvoyServer server(Vertx own) {
    PolicyRevision revision =
        new PolicyRevision(1, PolicyDocuments.parse("test", "buckets: []").policy());
    PolicySource policies = new PolicySource() {
      @Override
      public PolicyRevision current() {
        return revision;
      }

      @Override
      public CompletionStage<PolicyRevision> reload(long seenRevision) {
        return completedFuture(revision);
      }
    };
    Decider decider = new Decider(
        new Throttle(new InMemoryBucketStore(new ManualClock()), policies),
        new JointThrottle(
            charge -> {
              throw new UnsupportedOperationException("the test asks for health alone");
            },
            policies),
        metrics,
        Tracing.NONE,
        Witness.NONE);
    Bulkhead bulkhead = new Bulkhead(1, 1, 1);
    return new EnvoyServer(
        own,
        new HttpServerOptions(),
        new TokenGuard(Optional.empty()),
        new EnvoyServer.Limiters(
            policies,
            decider,
            new Corrections(EnvoyFlushesIT::none, EnvoyFlushesIT::none),
            id -> Future.succeededFuture(Optional.empty()),
            new NodeAssignments(
                new RedisAssignments(connections), bulkhead, bulkhead, metrics.assignments())),
        () -> false);
  }

  private static CompletionStage<?> none(
      String tenant, String subject, Limited limit, long operations) {
    throw new UnsupportedOperationException("the test asks for health alone");
  }

  private static Buffer healthCheck(int stream) {
    Buffer head = Buffer.buffer().appendBytes(new byte[] {(byte) 0x83, (byte) 0x86}); // POST, http
    literal(head, "/grpc.health.v1.Health/Check", 0x04);
    literal(head, "x", 0x01);
    literal(head, "application/grpc", 0x0f, 0x10);
    return frame(HEADERS, 4, stream, head)
        .appendBuffer(frame(0, END_STREAM, stream, Buffer.buffer(new byte[5])));
  }

  // A literal header without indexing (RFC 7541, section 6.2.2), its value shorter than 127 bytes.
  private static void literal(Buffer head, String value, int... name) {
    for (int each : name) {
      head.appendByte((byte) each);
    }
    head.appendByte((byte) value.length()).appendString(value);
  }

  private static Buffer frame(int type, int flags, int stream, Buffer content) {
    return Buffer.buffer()
        .appendMedium(content.length())
        .appendBytes(new byte[] {(byte) type, (byte) flags})
        .appendInt(stream)
        .appendBuffer(content);
  }

  private static void awaitAnswers(DataInputStream in, int wanted) throws IOException {
    Set<Integer> ended = new HashSet<>();
    while (ended.size() < wanted) {
      int length = (in.readUnsignedShort() << 8) | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      in.skipNBytes(length);
      if (type == HEADERS && (flags & END_STREAM) != 0) {
        ended.add(stream);
      }
    }
  }

  private Transport counting(Transport own) {
    return new TransportInternal(
        own.name(),
        true,
        null,
        new AcceptingTransport(own.implementation(), options -> new Accepted()));
  }

  /** Gets the connections that the port accepts. */
  @Sharable
  private final class Accepted extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      OpenConnections all = new OpenConnections(Integer.MAX_VALUE, metrics.connections());
      ((Channel) accepted).pipeline().addLast(new Handshake(loop -> all), new Counting());
      context.fireChannelRead(accepted);
    }
  }

  /** Counts the flushes, after its second read: then the server has added its handlers. */
  private final class Counting extends ChannelDuplexHandler {
    private int reads;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.fireChannelRead(message);
      reads++;
      if (reads == 2) {
        context.pipeline().remove(this);
        context.pipeline().addFirst(this);
      }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      flushes.incrementAndGet();
      context.flush();
    }

    @Override
    public boolean isSharable() {
      return true; // it is moved
    }
  }
}
