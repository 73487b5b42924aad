package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.vertx.core.buffer.Buffer;
import io.weir.node.testing.NodeFixture;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A stream of reports by a client of gRPC, in place of Envoy. */
final class TestStream implements ClientResponseObserver<byte[], byte[]> {
  private static final MethodDescriptor<byte[], byte[]> METHOD =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(
              "envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private final BlockingQueue<Buffer> answers = new LinkedBlockingQueue<>();
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private final StreamObserver<byte[]> reports;
  private final boolean isReading;
  private final CompletableFuture<ClientCallStreamObserver<byte[]>> call =
      new CompletableFuture<>();

  /** The number of each field of a strategy by its name; {@code strategy} is that of the protocol, 0 to abandon. */
  record Action(Map<String, Long> fields) {
    long get(String name) {
      return requireNonNull(fields.get(name), name);
    }

    /** Requests a second. */
    double rate() {
      return get("strategy") == 3 ? (double) get("fill") / get("seconds") : 0;
    }
  }

  private TestStream(Channel channel, Metadata metadata, boolean isReading) {
    this.isReading = isReading;
    this.reports = ClientCalls.asyncBidiStreamingCall(
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata))
            .newCall(METHOD, CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS)),
        this);
  }

  static TestStream withoutToken(Channel channel) {
    return new TestStream(channel, new Metadata(), true);
  }

  /** One that reads no answer until {@link #read}. */
  static TestStream notReading(Channel channel) {
    return open(channel, "", false);
  }

  /** @param client its name; empty for none */
  static TestStream open(Channel channel, String client) {
    return open(channel, client, true);
  }

  private static TestStream open(Channel channel, String client, boolean isReading) {
    Metadata metadata = new Metadata();
    metadata.put(key("authorization"), "Bearer " + NodeFixture.SERVICE);
    if (!client.isEmpty()) {
      metadata.put(key("weir-client"), client);
    }
    return new TestStream(channel, metadata, isReading);
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** A report on one bucket. */
  static MessageWriter usage(String bucket, long elapsedSeconds, long allowed, long denied) {
    MessageWriter id = new MessageWriter();
    for (String entry : bucket.split(",", -1)) {
      int at = entry.indexOf('=');
      id.add(1, new MessageWriter().add(1, entry.substring(0, at)).add(2, entry.substring(at + 1)));
    }
    return new MessageWriter()
        .add(1, id)
        .add(2, new MessageWriter().add(1, elapsedSeconds))
        .add(3, allowed)
        .add(4, denied);
  }

  static Buffer message(String domain, MessageWriter... usages) {
    MessageWriter message = new MessageWriter();
    if (!domain.isEmpty()) {
      message.add(1, domain);
    }
    for (MessageWriter usage : usages) {
      message.add(2, usage);
    }
    return message.bytes();
  }

  /**
   * Sends a message until it is answered, and returns what to do with its only bucket. A report that comes too soon after
   * the one before is not answered.
   */
  Action report(Buffer message) {
    for (int i = 0; i < 60 && !hasEnded(); i++) {
      send(message);
      Optional<Buffer> answer = poll();
      if (answer.isPresent()) {
        return action(answer.get());
      }
    }
    throw new AssertionError("no answer: " + end);
  }

  private Optional<Buffer> poll() {
    try {
      return Optional.ofNullable(answers.poll(1, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  void send(Buffer message) {
    reports.onNext(message.getBytes());
  }

  /** The status of its end. */
  Status.Code end() {
    return end.orTimeout(60, TimeUnit.SECONDS).join().getCode();
  }

  boolean hasEnded() {
    return end.isDone();
  }

  void complete() {
    reports.onCompleted();
  }

  void cancel() {
    reports.onError(Status.CANCELLED.asException());
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<byte[]> started) {
    if (!isReading) {
      started.disableAutoRequestWithInitial(0);
    }
    call.complete(started);
  }

  /** Reads the answers that are there. */
  void read() {
    call.join().request(Integer.MAX_VALUE);
  }

  @Override
  public void onNext(byte[] answer) {
    answers.add(Buffer.buffer(answer));
  }

  @Override
  public void onError(Throwable error) {
    end.complete(Status.fromThrowable(error));
  }

  @Override
  public void onCompleted() {
    end.complete(Status.OK);
  }

  private static Action action(Buffer bytes) {
    MessageReader actions = MessageReader.of(bytes);
    MessageReader reader = field(actions, 1);
    if (actions.hasNext()) {
      throw new AssertionError("more than one action");
    }
    Map<String, Long> fields = new HashMap<>();
    Map<String, String> bucket = new TreeMap<>();
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> {
          MessageReader entry = field(reader.message(), 1);
          bucket.put("entry", field(entry, 1, 100));
        }
        case 2 -> readAssignment(reader.message(), fields);
        case 3 -> {
          reader.skip();
          fields.put("strategy", 0L);
        }
        default -> throw new AssertionError("another field");
      }
    }
    if (bucket.isEmpty()) {
      throw new AssertionError("no bucket");
    }
    return new Action(fields);
  }

  private static void readAssignment(MessageReader reader, Map<String, Long> fields) {
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 2 -> fields.put("ttl", number(reader.message()));
        case 3 -> {
          MessageReader strategy = reader.message();
          int kind = strategy.field();
          fields.put("strategy", (long) kind);
          if (kind == 1) {
            fields.put("rule", strategy.number());
          } else {
            readTokens(strategy.message(), fields);
          }
        }
        default -> throw new AssertionError("another field");
      }
    }
  }

  private static void readTokens(MessageReader reader, Map<String, Long> fields) {
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> fields.put("max", reader.number());
        case 2 -> fields.put("fill", number(reader.message()));
        case 3 -> fields.put("seconds", number(reader.message()));
        default -> throw new AssertionError("another field");
      }
    }
  }

  private static long number(MessageReader reader) {
    if (reader.field() != 1) {
      throw new AssertionError("another field");
    }
    return reader.number();
  }

  private static MessageReader field(MessageReader reader, int field) {
    if (reader.field() != field) {
      throw new AssertionError("another field");
    }
    return reader.message();
  }

  private static String field(MessageReader reader, int field, int most) {
    if (reader.field() != field) {
      throw new AssertionError("another field");
    }
    return reader.text(most, "text");
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
