package io.weir.node.envoy;

import static io.weir.node.envoy.TestStream.message;
import static io.weir.node.envoy.TestStream.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Attributes;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.buffer.Buffer;
import io.weir.node.envoy.TestStream.Action;
import io.weir.node.envoy.rule.EnvoyBounds;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FreePorts;
import io.weir.testkit.Histories;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams of reports at the port for Envoy. */
final class AssignmentStreamIT {
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          rules:
            - { match: [{ key: name }], requests: 1000, per: second, divided: true }
            - { match: [{ key: name, value: free }], unlimited: true }
            - { match: [{ key: name, value: never }], requests: 0, per: second, divided: true }
            - { match: [{ key: env }, { key: name }], requests: 60, per: minute, divided: true }
            - { match: [{ key: path }], requests: 3, per: day }
      """;

  private static final String ANY = "[a-z]+";

  private static int port;
  private static NodeFixture fixture;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    port = FreePorts.one();
    fixture = NodeFixture.withEnvoy(POLICY, port, Optional.empty());
    channel = connect(port);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow();
    assertThat(channel.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    fixture.close();
  }

  @Test
  void theFirstClientGetsAllAndSharesItWithTheNext() {
    TestStream one = TestStream.open(channel, "one");
    TestStream other = TestStream.open(channel, "");
    Action first = one.report(message("edge", usage("name=shared", 0, 0, 1)));
    assertThat(first.rate()).isEqualTo(1000);
    assertThat(first.get("max")).isEqualTo(62);
    assertThat(first.get("ttl")).isEqualTo(10);
    Action second = other.report(message("edge", usage("name=shared", 0, 0, 1)));
    assertThat(second.get("strategy")).isEqualTo(1);
    assertThat(second.get("rule")).isEqualTo(1);
    List<Double> rates = new ArrayList<>();
    await().pollInterval(StreamBucket.PACE).atMost(Duration.ofMinutes(1)).until(() -> {
      double mine = one.report(message("", usage("name=shared", 1, 5000, 5000))).rate();
      double others =
          other.report(message("", usage("name=shared", 1, 0, 10_000))).rate();
      rates.add(mine + others);
      return mine > 400 && others > 400;
    });
    assertThat(rates).allMatch(sum -> sum <= 1000);
    one.complete();
    assertThat(one.end()).isEqualTo(Code.OK);
    other.cancel();
  }

  @Test
  void aNameKeepsItsAssignmentOnAnotherStream() {
    TestStream one = TestStream.open(channel, "moved");
    Action first = one.report(message("edge", usage("name=moved", 0, 0, 1)));
    one.cancel();
    TestStream again = TestStream.open(channel, "moved");
    Action second = again.report(message("edge", usage("name=moved", 1, 10, 0)));
    assertThat(second).isEqualTo(first);
    again.cancel();
    // It does not know that it had one: what it had may still be used.
    TestStream anew = TestStream.open(channel, "moved");
    assertThat(anew.report(message("edge", usage("name=moved", 0, 0, 1))).rate())
        .isZero();
    anew.cancel();
  }

  @Test
  void aBucketHasNoOrderAndItsRuleThatOfTheAlphabet() {
    TestStream stream = TestStream.open(channel, "");
    Action action = stream.report(message("edge", usage("name=a,env=b", 0, 1, 0)));
    assertThat(action.rate()).isEqualTo(1);
    assertThat(action.get("max")).isEqualTo(3);
    stream.cancel();
  }

  @ParameterizedTest
  @CsvSource({"name=free, 0", "unknown=1, 0", "name=never, 1"})
  void withoutANumberEverythingPassesOrNothing(String bucket, long rule) {
    TestStream stream = TestStream.open(channel, "");
    Action action = stream.report(message("edge", usage(bucket, 0, 1, 0)));
    assertThat(action.get("strategy")).isEqualTo(1);
    assertThat(action.get("rule")).isEqualTo(rule);
    stream.cancel();
  }

  @Test
  void whatRequestsPutIntoABucketDoesNotEndTheStream() {
    TestStream stream = TestStream.open(channel, "");
    MessageWriter bytes =
        new MessageWriter().add(1, "name").add(2, Buffer.buffer(new byte[] {(byte) 0xff}));
    MessageWriter noText =
        new MessageWriter().add(1, new MessageWriter().add(1, bytes)).add(3, 1);
    assertThat(abandons(stream, noText)).isTrue();
    assertThat(abandons(stream, usage("name=" + "x".repeat(9000), 0, 1, 0))).isTrue();
    assertThat(abandons(stream, usage("name=free", 5, 0, 0)))
        .as("an unused bucket")
        .isTrue();
    Action notDivided = stream.report(message("edge", usage("path=/", 0, 1, 0)));
    assertThat(notDivided.get("rule")).as("nothing passes").isEqualTo(1);
    for (int i = 0; i < EnvoyBounds.BUCKETS; i++) {
      assertThat(abandons(stream, usage("name=many" + i, 0, 1, 0))).isFalse();
    }
    assertThat(abandons(stream, usage("name=more", 0, 1, 0))).isTrue();
    assertThat(abandons(stream, usage("name=many0", 1, 1, 0))).isFalse();
    stream.cancel();
  }

  private static boolean abandons(TestStream stream, MessageWriter usage) {
    return stream.report(message("edge", usage)).get("strategy") == 0;
  }

  @Test
  void reportsThatComeTooSoonAreMerged() {
    int messages = 500;
    double before = reports("merged|assigned|late");
    double mergedBefore = reports("merged");
    long begin = System.nanoTime();
    TestStream stream = TestStream.open(channel, "");
    for (int i = 0; i < messages; i++) {
      stream.send(message("edge", usage("name=fast", i, 10, 0)));
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> reports("merged|assigned|late") >= before + messages);
    long mostSent = 1 + (System.nanoTime() - begin) / StreamBucket.PACE.toNanos();
    assertThat(reports("merged") - mergedBefore)
        .isGreaterThanOrEqualTo((double) (messages - mostSent));
    assertThat(stream.report(message("edge", usage("name=fast", 1, 0, 0))).rate())
        .isPositive();
    stream.cancel();
  }

  @Test
  void theBucketsOfAClientAreBoundedInBytes() {
    double before = reports(ANY);
    double refusedBefore = reports("refused");
    TestStream stream = TestStream.open(channel, "long");
    for (int i = 0; i < 6; i++) {
      MessageWriter[] usages = new MessageWriter[50];
      for (int j = 0; j < usages.length; j++) {
        usages[j] = usage("name=%d-%d-%s".formatted(i, j, "x".repeat(8000)), 0, 1, 0);
      }
      double expected = before + (i + 1) * usages.length;
      stream.send(message("edge", usages));
      await().atMost(Duration.ofMinutes(1)).until(() -> reports(ANY) >= expected);
    }
    assertThat(reports("refused") - refusedBefore).isBetween(50.0, 100.0);
    TestStream another = TestStream.open(channel, "another");
    assertThat(abandons(another, usage("name=another", 0, 1, 0))).isFalse();
    stream.cancel();
    another.cancel();
    await().until(() -> {
      TestStream again = TestStream.open(channel, "long");
      boolean hasRoom = !abandons(again, usage("name=again-" + "x".repeat(8000), 0, 1, 0));
      again.cancel();
      return hasRoom;
    });
  }

  // The reports with these outcomes.
  private static double reports(String outcomes) {
    return metric("throttle_assignment_reports_total\\{outcome=\"(?:%s)\"}".formatted(outcomes));
  }

  private static double metric(String pattern) {
    return Pattern.compile("(?m)^%s (\\S+)$".formatted(pattern))
        .matcher(fixture.get("/metrics").body())
        .results()
        .mapToDouble(found -> Double.parseDouble(found.group(1)))
        .sum();
  }

  @Test
  void manyMessagesAtOnceWaitInTheConnection() {
    TestStream stream = TestStream.open(channel, "");
    for (int i = 0; i < 20_000; i++) {
      stream.send(message("edge"));
    }
    stream.complete();
    assertThat(stream.end()).isEqualTo(Code.OK);
  }

  @Test
  void aClientThatDoesNotReadIsCutOff() throws InterruptedException {
    ManagedChannel narrow = NettyChannelBuilder.forAddress("127.0.0.1", port)
        .flowControlWindow(65_535)
        .usePlaintext()
        .build();
    await().until(() -> metric("throttle_assignment_streams") == 0);
    TestStream stream = TestStream.notReading(narrow);
    await().until(() -> metric("throttle_assignment_streams") == 1);
    MessageWriter[] usages = IntStream.range(0, 10)
        .mapToObj(i -> usage("unknown=%d-%s".formatted(i, "x".repeat(8000)), 0, 1, 0))
        .toArray(MessageWriter[]::new);
    for (int i = 0; i < 5; i++) {
      stream.send(message("edge", usages));
    }
    await().until(() -> metric("throttle_assignment_streams") == 0);
    stream.read();
    assertThat(stream.end()).isEqualTo(Code.RESOURCE_EXHAUSTED);
    narrow.shutdownNow();
    assertThat(narrow.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatCannotBeMeantEndsTheStream() {
    MessageWriter usage = usage("name=a", 0, 1, 0);
    assertThat(ends(message("", usage))).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(ends(message("nowhere", usage))).isEqualTo(Code.NOT_FOUND);
    assertThat(ends(message("edge", usage, usage))).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(ends(message("edge", new MessageWriter()))).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(ends(Buffer.buffer("broken"))).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(ends(Buffer.buffer(new byte[600 << 10]))).isEqualTo(Code.RESOURCE_EXHAUSTED);
    TestStream other = TestStream.open(channel, "");
    other.report(message("edge", usage));
    other.send(message("another", usage));
    assertThat(other.end()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(TestStream.withoutToken(channel).end()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(TestStream.open(channel, "a b").end()).isEqualTo(Code.INVALID_ARGUMENT);
  }

  @Test
  void changedBytesAreAnsweredOrRefused() {
    Random random = new Random(Histories.firstSeed());
    for (int i = 0; i < Histories.count(300, 10_000); i++) {
      byte[] bytes = message("edge", usage("name=fuzzed", 0, 1, 0)).getBytes();
      for (int change = 0; change <= random.nextInt(3); change++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      TestStream stream = TestStream.open(channel, "fuzz");
      stream.send(Buffer.buffer(bytes));
      stream.complete();
      assertThat(stream.end()).isIn(Code.OK, Code.INVALID_ARGUMENT, Code.NOT_FOUND);
    }
  }

  @Test
  void streamsOfAnAddressAreHalfOfThoseOfANode() throws InterruptedException {
    List<ManagedChannel> channels = new ArrayList<>();
    List<TestStream> streams = new ArrayList<>();
    while (streams.stream().noneMatch(TestStream::hasEnded)) {
      assertThat(channels).hasSizeLessThan(40);
      ManagedChannel next = connect(port);
      channels.add(next);
      for (int i = 0; i < 100; i++) {
        streams.add(TestStream.open(next, ""));
      }
      TestStream last = streams.get(streams.size() - 1);
      last.send(message("edge", usage("name=free", 0, 1, 0)));
      last.complete();
      last.end();
      streams.remove(last);
    }
    assertThat(streams.stream().filter(TestStream::hasEnded).map(TestStream::end))
        .containsOnly(Code.RESOURCE_EXHAUSTED);
    assertThat(metric("throttle_assignment_streams")).isBetween(400.0, 500.0);
    assertThat(metric("throttle_assignment_streams_refused_total")).isPositive();
    channels.add(connect(port, "127.0.0.2"));
    TestStream elsewhere = TestStream.open(channels.get(channels.size() - 1), "");
    elsewhere.report(message("edge", usage("name=free", 0, 1, 0)));
    elsewhere.complete();
    assertThat(elsewhere.end()).isEqualTo(Code.OK);
    for (ManagedChannel one : channels) {
      one.shutdownNow();
      assertThat(one.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
    await().until(() -> metric("throttle_assignment_streams") < 100);
  }

  @Test
  void aNameHasAPartOfTheStreams() throws InterruptedException {
    await().until(() -> metric("throttle_assignment_streams") == 0);
    ManagedChannel other = connect(port);
    List<TestStream> streams = new ArrayList<>();
    for (ManagedChannel one : List.of(channel, other)) {
      for (int i = 0; i < 60; i++) {
        streams.add(TestStream.open(one, "many"));
      }
    }
    await().until(() -> streams.stream().filter(TestStream::hasEnded).count() == 20);
    assertThat(streams.stream().filter(TestStream::hasEnded).map(TestStream::end))
        .containsOnly(Code.RESOURCE_EXHAUSTED);
    TestStream another = TestStream.open(other, "another-name");
    another.report(message("edge", usage("name=free", 0, 1, 0)));
    streams.add(another);
    streams.stream().filter(stream -> !stream.hasEnded()).forEach(TestStream::cancel);
    other.shutdown();
    assertThat(other.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  private static Code ends(Buffer message) {
    TestStream stream = TestStream.open(channel, "");
    stream.send(message);
    return stream.end();
  }

  private static ManagedChannel connect(int port) {
    return connect(port, "127.0.0.1");
  }

  private static ManagedChannel connect(int port, String from) {
    return NettyChannelBuilder.forAddress("127.0.0.1", port)
        .usePlaintext()
        .localSocketPicker(new NettyChannelBuilder.LocalSocketPicker() {
          @Override
          public SocketAddress createSocketAddress(SocketAddress remote, Attributes attributes) {
            return new InetSocketAddress(from, 0);
          }
        })
        .build();
  }
}
