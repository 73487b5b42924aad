package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.vertx.core.buffer.Buffer;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FreePorts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A client of gRPC at the port for Envoy, in place of Envoy: for tests of one node. */
abstract class EnvoyCaller {
  static final String LIMITS = "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  static final String HEALTH = "grpc.health.v1.Health/Check";
  // By the hour, so that nothing drains during a test.
  static final String POLICY = """
      operations:
        - { name: Search, match: { method: GET, path: /search }, cost: 2 }
        - { name: Export, match: { method: GET, path: /export } }
      buckets:
        - { name: searches, burstPeriod: 3600, throttleGroups: [{ rate: 10/h, operations: [Search] }] }
        - { name: all, scope: tenant, burstPeriod: 3600, throttleGroups: [{ rate: 100/h, operations: [Search] }] }
      permits:
        - { name: exports, limit: 1, lease: 60s, operations: [Export] }
      envoy:
        edge:
          rules:
            - { match: [{ key: address }], requests: 5, per: hour, name: address }
            - { match: [{ key: path }], requests: 3, per: day }
            - { match: [{ key: path, value: /free }], unlimited: true }
            - { match: [{ key: path, value: /never }], requests: 0, per: day }
            - { match: [{ key: account }], requests: 4, per: month, override: true }
            - { match: [{ key: tried }], requests: 1, per: hour, mode: audit }
            - { match: [{ key: tokens }], requests: 10, per: hour, afterwards: true }
            - { match: [{ key: monthly }], requests: 10, per: month, afterwards: true }
            - { match: [{ key: model }], requests: 2, per: hour, mode: quota, name: model }
            - { match: [{ key: other }], requests: 3, per: hour, mode: quota, name: other }
            - { match: [{ key: divided }], requests: 1, per: day, divided: true }
            - { match: [{ key: vip }], requests: 50, per: hour, replaces: [address, replaced] }
            - { match: [{ key: user }, { key: op, value: search }], subject: user, operation: Search }
            - { match: [{ key: user }, { key: op, value: export }], subject: user, operation: Export }
            - { match: [{ key: user }, { key: op, value: replaced }], subject: user, operation: Search, name: replaced }
      subjects:
      """
      + TestPolicies.subject("k1", "")
      + TestPolicies.subject("k2", "")
      + TestPolicies.subject("k3", ", frozen: true");

  static int port;
  static NodeFixture fixture;
  static ManagedChannel channel;

  @BeforeAll
  static void start() {
    port = FreePorts.one();
    fixture = NodeFixture.withEnvoy(POLICY, port, Optional.empty());
    channel = plaintext();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow();
    assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    fixture.close();
  }

  static ManagedChannel plaintext() {
    return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  static MessageWriter descriptor(String entries) {
    MessageWriter descriptor = new MessageWriter();
    for (String entry : entries.split(",", -1)) {
      int at = entry.indexOf('=');
      descriptor.add(
          1, new MessageWriter().add(1, entry.substring(0, at)).add(2, entry.substring(at + 1)));
    }
    return descriptor;
  }

  static MessageWriter descriptor(String entries, long hits) {
    return descriptor(entries).add(3, new MessageWriter().add(1, hits));
  }

  static MessageWriter refund(String entries, long hits) {
    return descriptor(entries, hits).add(4, 1);
  }

  static Buffer message(long hits, MessageWriter... descriptors) {
    MessageWriter message = new MessageWriter().add(1, "edge").add(3, hits);
    for (MessageWriter descriptor : descriptors) {
      message.add(2, descriptor);
    }
    return message.bytes();
  }

  static Buffer in(String domain, MessageWriter... descriptors) {
    MessageWriter message = new MessageWriter().add(1, domain);
    for (MessageWriter descriptor : descriptors) {
      message.add(2, descriptor);
    }
    return message.bytes();
  }

  static EnvoyAnswer ask(MessageWriter... descriptors) {
    return ask(1, descriptors);
  }

  static EnvoyAnswer ask(long hits, MessageWriter... descriptors) {
    return EnvoyAnswer.of(call(LIMITS, message(hits, descriptors), token()));
  }

  static Status refused(MessageWriter descriptor) {
    return refused(message(1, descriptor));
  }

  static Status refused(Buffer message) {
    try {
      call(LIMITS, message, token());
      throw new AssertionError("no error");
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  static Status.Code statusOf(Runnable call) {
    try {
      call.run();
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  static Metadata token() {
    Metadata metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + NodeFixture.SERVICE);
    return metadata;
  }

  static Buffer call(String method, Buffer message, Metadata metadata) {
    return call(channel, method, message, metadata);
  }

  static Buffer call(ManagedChannel to, String method, Buffer message, Metadata metadata) {
    MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(method)
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
    return Buffer.buffer(ClientCalls.blockingUnaryCall(
        ClientInterceptors.intercept(to, MetadataUtils.newAttachHeadersInterceptor(metadata)),
        descriptor,
        CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
        message.getBytes()));
  }

  /** Messages as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
