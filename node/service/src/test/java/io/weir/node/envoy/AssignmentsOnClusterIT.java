package io.weir.node.envoy;

import static io.weir.node.envoy.TestStream.message;
import static io.weir.node.envoy.TestStream.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.lettuce.core.cluster.SlotHash;
import io.weir.node.testing.NodeFixture;
import io.weir.state.wire.Partition;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisCluster;
import io.weir.testkit.RedisProcess;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Streams of reports on a Redis Cluster, where the limits of a tenant are on the master of its part. */
final class AssignmentsOnClusterIT {
  private static final int STREAMS = 90;

  private static final String POLICY = """
      buckets: []
      envoy:
        hanging: { tenant: %1$s, rules: [{ match: [{ key: name }], requests: 10, per: second, divided: true }] }
        healthy: { tenant: %2$s, rules: [{ match: [{ key: name }], requests: 10, per: second, divided: true }] }
      """;

  @Test
  void reportsDoNotWaitForThoseOfAPartThatHangs() throws InterruptedException {
    int port = FreePorts.one();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    try (RedisCluster cluster = RedisCluster.start(2, 0)) {
      RedisProcess hanging = masterOf(cluster, "tenant0");
      String policy = POLICY.formatted("tenant0", tenantOfAnother(cluster, hanging));
      try (NodeFixture fixture = NodeFixture.withEnvoyLosing(cluster.uri(), policy, port)) {
        // So long the rest of the cluster does not count it as failed, and serves its own slots.
        cluster.nodes().forEach(node -> node.ask("CONFIG SET cluster-node-timeout 60000"));
        List<TestStream> streams = IntStream.range(0, STREAMS)
            .mapToObj(i -> TestStream.open(channel, "waiting" + i))
            .toList();
        hanging.pause();
        try {
          streams.forEach(stream -> stream.send(message("hanging", usage("name=a", 0, 1, 0))));
          TestStream healthy = TestStream.open(channel, "healthy");
          assertThat(
                  healthy.report(message("healthy", usage("name=a", 0, 1, 0))).rate())
              .isEqualTo(10);
          assertThat(unanswered(fixture))
              .as("reports that came to their end before")
              .isLessThan(STREAMS / 2.0);
          healthy.cancel();
        } finally {
          hanging.resume();
        }
        streams.forEach(TestStream::cancel);
      }
    }
    channel.shutdownNow();
    assertThat(channel.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  private static String tenantOfAnother(RedisCluster cluster, RedisProcess than) {
    return IntStream.range(1, 100)
        .mapToObj(i -> "tenant" + i)
        .filter(tenant -> masterOf(cluster, tenant) != than)
        .findFirst()
        .orElseThrow();
  }

  private static RedisProcess masterOf(RedisCluster cluster, String tenant) {
    return cluster.masterOf(SlotHash.getSlot(Partition.tag(Partition.of(tenant))));
  }

  private static double unanswered(NodeFixture fixture) {
    return Pattern.compile(
            "(?m)^throttle_assignment_reports_total\\{outcome=\"unavailable\"} (\\S+)$")
        .matcher(fixture.get("/metrics").body())
        .results()
        .mapToDouble(found -> Double.parseDouble(found.group(1)))
        .sum();
  }
}
