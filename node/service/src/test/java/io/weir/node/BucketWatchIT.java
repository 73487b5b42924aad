package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The metrics show the fill level of buckets of scope {@code cluster}. */
final class BucketWatchIT {
  @AutoClose
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    fixture = new NodeFixture("""
        defaults: { plan: all }
        operations:
          - { name: Ping, match: { method: GET, path: /ping } }
          - { name: Pay, match: { method: GET, path: /pay } }
          - { name: Far, match: { method: GET, path: /far } }
        buckets:
          - { name: shared, scope: cluster, burstPeriod: 1000000, throttleGroups: [{ milliOpsPerSec: 1, operations: [Ping] }] }
          - { name: lent, scope: cluster, leased: true, burstPeriod: 1000000, throttleGroups: [{ milliOpsPerSec: 1, operations: [Far] }] }
          - name: parted
            scope: cluster
            burstPeriod: 100000
            throttleGroups: [{ milliOpsPerSec: 10, operations: [Pay, Other] }]
            keepFor: { share: 50, operations: [Pay] }
          - { name: own, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 1, operations: [Ping, Pay] }] }
        plans:
          all: {}
        subjects:
          k1: { tenant: acme, secretHash: "%s" }
        """.formatted(SecretHash.of("s1").formatted()), FailureMode.DENY);
  }

  @Test
  void aBucketOfAllIsShownAsFullAsAllUseIt() {
    ask("Ping", 250);
    ask("Pay", 250);
    ask("Far", 100);
    awaitUsed("shared", 0.25);
    awaitUsed("parted:kept", 0.5);
    awaitUsed("parted", 0);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThat(used("lent").orElse(-1)).isBetween(0.09, 0.2)); // plus the lease
    assertThat(used("own")).describedAs("a bucket of one key is in no tag").isEmpty();
  }

  private static void ask(String operation, int cost) {
    String answer = fixture
        .post(
            "/v1/check",
            "{\"key\":\"k1.s1\",\"operation\":\"%s\",\"cost\":%d}".formatted(operation, cost))
        .body();
    assertThat(answer).contains("\"allowed\"");
  }

  private static void awaitUsed(String bucket, double ratio) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(used(bucket).orElse(-1)).isBetween(ratio - 0.001, ratio));
  }

  private static OptionalDouble used(String bucket) {
    return Pattern.compile("throttle_cluster_bucket_used_ratio\\{bucket=\"" + bucket + "\"} (\\S+)")
        .matcher(fixture.get("/metrics").body())
        .results()
        .map(MatchResult::group)
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst();
  }
}
