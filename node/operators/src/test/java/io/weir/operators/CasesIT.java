package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.Subject;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.cases.CaseQuery;
import io.weir.operators.cases.CaseSearch;
import io.weir.operators.cases.CaseState;
import io.weir.operators.nodes.AllNodes;
import io.weir.state.policy.ClusterPolicy;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cases of two nodes that share one Redis, by a clock that only the test moves. */
final class CasesIT {
  private static final String POLICY = """
      buckets:
        - { name: requests, burstPeriod: 60, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
        - { name: team, scope: tenant, burstPeriod: 60, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: acme }
        k3: { tenant: other }
      """;

  private final ManualClock clock = new ManualClock();
  private final Vertx vertx = Vertx.vertx();
  private RedisDatabase redis;
  private TestNode one;
  private TestNode two;

  /** What a node has to do with cases. */
  private final class TestNode implements AutoCloseable {
    private final ClusterPolicy policy = ClusterPolicy.open(redis.uri(), "policy", POLICY);
    private final Context loop = vertx.getOrCreateContext();
    private final NodeMemory memory = new NodeMemory(() -> clock.getAsLong() * 1000, denial -> {});
    private final CaseSearch search = new CaseSearch(
        new AllNodes(policy.questions()),
        asked -> memory.find(asked, CasesIT::time),
        CasesIT.this::now);

    TestNode() {
      on(() -> memory.begin(loop));
    }

    private void on(Runnable task) {
      Future.<Void>future(done -> loop.runOnContext(here -> {
            task.run();
            done.complete();
          }))
          .toCompletionStage()
          .toCompletableFuture()
          .join();
    }

    void denied(String key, String limit) {
      Subject subject = policy.current().policy().subject(key).orElseThrow();
      on(() -> memory.answered(
          new Question(subject, "Ask", 1),
          new Denied(1, List.of(), List.of(limit), 1000, false, Optional.empty())));
    }

    JsonObject found(CaseState state) {
      return found(state, Optional.empty());
    }

    // A node on a busy machine may answer too late.
    JsonObject found(CaseState state, Optional<String> tenant) {
      CaseQuery asked = new CaseQuery(state, tenant, CaseQuery.MOST);
      return await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> search
                  .find(new OperatorWork(vertx), "test", asked)
                  .toCompletionStage()
                  .toCompletableFuture()
                  .join(),
              found -> found.getInteger("nodesAnswered") == 2);
    }

    @Override
    public void close() {
      policy.close();
    }
  }

  @BeforeEach
  void start() {
    redis = RedisDatabase.open();
    one = new TestNode();
    two = new TestNode();
  }

  @AfterEach
  void end() {
    one.close();
    two.close();
    redis.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static Instant time(long nanos) {
    return Instant.ofEpochMilli(Duration.ofNanos(nanos).toMillis());
  }

  private Instant now() {
    return time(clock.getAsLong() * 1000);
  }

  private void pass(Duration time) {
    clock.advance(time.toNanos() / 1000);
  }

  private static List<JsonObject> cases(JsonObject found) {
    return found.getJsonArray("cases").stream().map(JsonObject.class::cast).toList();
  }

  @Test
  void aKeyThatIsDeniedOnBothNodesIsOneCaseUntilAMinuteAfterItsLastDenial() {
    Instant first = now();
    one.denied("k1", "requests");
    pass(Duration.ofSeconds(40));
    two.denied("k1", "requests");
    pass(Duration.ofSeconds(40));
    Instant last = now();
    one.denied("k1", "requests");
    pass(Duration.ofMillis(59_999));

    for (TestNode node : List.of(one, two)) {
      JsonObject found = node.found(CaseState.NOW);
      assertThat(found.getInteger("total")).isEqualTo(1);
      assertThat(found.getString("redis")).isEqualTo("answers");
      JsonObject open = cases(found).get(0);
      assertThat(open.getString("key")).isEqualTo("k1");
      assertThat(open.getString("since")).isEqualTo(first.toString());
      assertThat(open.getString("last")).isEqualTo(last.toString());
      assertThat(open.getLong("lastHour")).isEqualTo(3);
    }

    pass(Duration.ofMillis(1));
    assertThat(cases(two.found(CaseState.NOW))).isEmpty();
    assertThat(cases(two.found(CaseState.CLOSED)))
        .singleElement()
        .satisfies(closed -> assertThat(closed.getLong("lastHour")).isEqualTo(3));
    pass(Duration.ofHours(23));
    assertThat(cases(one.found(CaseState.CLOSED)))
        .singleElement()
        .satisfies(closed -> assertThat(closed.getLong("requests")).isEqualTo(3));
  }

  @Test
  void theKeysOfATenantThatAreDeniedByWhatTheyShareAreOneCase() {
    one.denied("k1", "team");
    two.denied("k2", "team");
    two.denied("k3", "team");

    List<JsonObject> found = cases(one.found(CaseState.NOW, Optional.of("acme")));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).getString("tenant")).isEqualTo("acme");
    assertThat(found.get(0).containsKey("key")).isFalse();
    assertThat(found.get(0).getLong("lastMinute")).isEqualTo(2);
    assertThat(cases(one.found(CaseState.NOW))).hasSize(2);
  }
}
