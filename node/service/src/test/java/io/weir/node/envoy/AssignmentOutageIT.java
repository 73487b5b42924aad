package io.weir.node.envoy;

import static io.weir.node.envoy.TestStream.message;
import static io.weir.node.envoy.TestStream.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.weir.node.envoy.TestStream.Action;
import io.weir.node.envoy.rule.EnvoyBounds;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams of reports while Redis is away. */
final class AssignmentOutageIT {
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          rules:
            - { match: [{ key: name }], requests: 1000, per: second, divided: true }
            - { match: [{ key: name, value: free }], unlimited: true }
      """;

  private RedisProcess redis;
  private NodeFixture fixture;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    int port = FreePorts.one();
    redis = RedisProcess.start();
    fixture = NodeFixture.withEnvoyLosing(redis.uri(), POLICY, port);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.shutdownNow();
    assertThat(channel.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    fixture.close();
    redis.close();
  }

  @Test
  void nothingIsAssignedAndANodeThatStopsEndsItsStreams() {
    TestStream stream = TestStream.open(channel, "one");
    assertThat(stream.report(message("edge", usage("name=a", 0, 0, 1))).rate()).isEqualTo(1000);
    redis.kill();
    // A bucket that was reported just before would be merged into its next report.
    Action free = stream.report(message("", usage("name=b", 1, 1, 0), usage("name=free", 0, 1, 0)));
    assertThat(free.get("rule")).isZero();
    fixture.close();
    assertThat(stream.end()).isEqualTo(Code.UNAVAILABLE);
  }

  @Test
  void anAssignmentGoesOnAtAnotherNode() {
    int otherPort = FreePorts.one();
    try (NodeFixture other = NodeFixture.withEnvoyLosing(redis.uri(), POLICY, otherPort)) {
      assertThat(other.node()).isNotNull();
      ManagedChannel toOther =
          NettyChannelBuilder.forAddress("127.0.0.1", otherPort).usePlaintext().build();
      try {
        TestStream stream = TestStream.open(channel, "envoy-1");
        TestStream neighbour = TestStream.open(toOther, "envoy-2");
        Action first = stream.report(message("edge", usage("name=a", 0, 0, 1)));
        assertThat(first.rate()).isEqualTo(1000);
        assertThat(neighbour.report(message("edge", usage("name=a", 0, 0, 1))).rate())
            .isZero();
        fixture.close();
        assertThat(stream.end()).isEqualTo(Code.UNAVAILABLE);
        // Its burst stays, and about half of the rate is the neighbour's from the next report on:
        // after half a second the
        // demand is measured, and is not that of a new client, which is a 64th of the limit.
        TestStream moved = TestStream.open(toOther, "envoy-1");
        Action next = moved.report(message("edge", usage("name=a", 1, 10, 0)));
        assertThat(next.rate()).isBetween(492.0, 508.0);
        assertThat(next.get("max")).isEqualTo(first.get("max"));
        assertThat(neighbour.report(message("", usage("name=b", 0, 0, 1))).rate())
            .isEqualTo(1000);
        moved.cancel();
        neighbour.cancel();
      } finally {
        toOther.shutdownNow();
      }
    }
  }

  @Test
  void aMessageWhoseSenderIsGoneIsNotDecided() {
    MessageWriter[] usages = IntStream.range(0, EnvoyBounds.BUCKETS)
        .mapToObj(i -> usage("name=flood" + i, 0, 1, 0))
        .toArray(MessageWriter[]::new);
    TestStream flood = TestStream.open(channel, "flood");
    TestStream probe = TestStream.open(channel, "probe");
    long before = scripts();
    redis.pause();
    flood.send(message("edge", usages));
    assertThat(probe.report(message("edge", usage("name=free", 0, 1, 0))).get("rule"))
        .isZero();
    flood.cancel();
    redis.resume();
    probe.report(message("edge", usage("name=probe", 0, 1, 0)));
    probe.cancel();
    assertThat(scripts() - before).isBetween(1L, EnvoyBounds.BUCKETS / 2L);
  }

  private long scripts() {
    return Pattern.compile("cmdstat_(?:evalsha|eval|fcall):calls=([0-9]+)")
        .matcher(redis.ask("INFO commandstats"))
        .results()
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .sum();
  }
}
