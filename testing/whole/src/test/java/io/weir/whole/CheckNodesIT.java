package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.check.Check;
import io.weir.client.check.CheckClient;
import io.weir.client.check.CheckException;
import io.weir.client.check.CheckOptions;
import io.weir.client.check.Checked;
import io.weir.client.check.OutageMode;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoNodes;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two programs that ask two nodes: one limit. */
@Timeout(60)
final class CheckNodesIT {
  private static final int LIMIT = 1000;
  private static final String POLICY = """
      buckets:
        - { name: requests, burstPeriod: 1000000, throttleGroups: [{ milliOpsPerSec: 1, operations: [Ask] }] }
      plans: { free: { buckets: [requests] } }
      defaults: { plan: free }
      subjects: [{ id: k1, tenant: acme, secretHash: "%s" }]
      """.formatted(SecretHash.of("secret").formatted());

  @AutoClose
  private final TwoNodes nodes = TwoNodes.start(POLICY);

  private final RedisProcess redis = nodes.redis();
  private final NodeFixture one = nodes.one();
  private final NodeFixture two = nodes.two();

  private static CheckClient client(OutageMode outage, NodeFixture... nodes) {
    List<URI> addresses = new ArrayList<>();
    for (NodeFixture node : nodes) {
      addresses.add(node.uri("/"));
    }
    return new CheckClient(
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
        addresses,
        CheckOptions.DEFAULT.with(o ->
            o.serviceToken(NodeFixture.SERVICE).outage(outage).timeout(Duration.ofSeconds(20))));
  }

  @Test
  void twoProgramsAndTwoNodesHaveOneLimit() {
    List<CheckClient> programs =
        List.of(client(OutageMode.FAIL, one, two), client(OutageMode.FAIL, two, one));
    List<CompletableFuture<Checked>> asked = new ArrayList<>();
    for (int i = 0; i < 3 * LIMIT; i++) {
      Check check = i % 3 == 0 ? Check.ofKey("k1.secret", "Ask") : Check.ofSubject("k1", "Ask");
      asked.add(programs.get(i % 2).check(check));
    }
    List<Checked> answers = asked.stream().map(CompletableFuture::join).toList();
    assertThat(answers.stream().filter(Checked::isAllowed)).hasSize(LIMIT);
    assertThat(answers.stream().filter(answer -> !answer.isAllowed())).allSatisfy(denied -> {
      assertThat(denied.full()).containsExactly("requests");
      assertThat(denied.retryAfter()).isPositive();
    });
  }

  @Test
  void oneUnknownKeyHoldsUpNoOther() {
    CheckClient program = client(OutageMode.FAIL, one);
    List<CompletableFuture<Checked>> asked = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      String key = i % 10 == 5 ? "unknown%d.secret".formatted(i) : "k1.secret";
      asked.add(program.check(Check.ofKey(key, "Ask")));
    }
    for (int i = 0; i < 100; i++) {
      if (i % 10 == 5) {
        CompletableFuture<Checked> unknown = asked.get(i);
        Throwable error = unknown.handle((checked, failure) -> failure).join();
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        assertThat(cause)
            .isInstanceOfSatisfying(
                CheckException.class, it -> assertThat(it.code()).isEqualTo("key_invalid"));
      } else {
        assertThat(asked.get(i).join().isAllowed()).isTrue();
      }
    }
  }

  @Test
  void withoutRedisTheCallerChooses() {
    try (FaultProxy network = FaultProxy.before(redis.port());
        NodeFixture alone = NodeFixture.at(network.redisUri(), POLICY, FailureMode.DENY)) {
      CheckClient program = client(OutageMode.ALLOW, alone);
      assertThat(program.check(Check.ofSubject("k1", "Ask")).join().isDecided()).isTrue();
      network.refuse(true);
      Checked undecided = program.check(Check.ofSubject("k1", "Ask")).join();
      assertThat(undecided.isAllowed()).isTrue();
      assertThat(undecided.isDecided()).isFalse();
    }
  }
}
