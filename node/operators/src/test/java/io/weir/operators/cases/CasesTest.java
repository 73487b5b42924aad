package io.weir.operators.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.top.LimitName;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When cases open and close, what is counted, and what is forgotten. */
final class CasesTest {
  private static final LimitName BY = new LimitName("free", "Ask", "requests");

  private final ManualClock clock = new ManualClock();
  private final LoopCases loop = new LoopCases();

  private static CaseName name(String tenant, String key) {
    return new CaseName(tenant, Optional.of(key), BY.limit());
  }

  private void pass(Duration time) {
    clock.advance(time.toNanos() / 1000);
  }

  private long nanos() {
    return clock.getAsLong() * 1000;
  }

  private Instant now() {
    return Instant.ofEpochMilli(clock.getAsLong() / 1000);
  }

  private void denied(LoopCases on, String key) {
    on.count(CaseType.DENIED, name("acme", key), BY, nanos());
  }

  private List<Case> found(CaseState state, LoopCases... loops) {
    CaseQuery asked = new CaseQuery(state, Optional.empty(), CaseQuery.MOST);
    Cases sum = Cases.sum(Arrays.stream(loops)
        .map(one -> Cases.parse(one.find(asked, nanos(), now()).toJson())) // as of another node
        .toList());
    return state.of(sum, now().toEpochMilli());
  }

  private static JsonObject only(List<Case> cases) {
    assertThat(cases).hasSize(1);
    return cases.get(0).describe();
  }

  @Test
  void aCaseIsOpenFromItsFirstDenialUntilAMinuteAfterItsLast() {
    Instant first = now();
    denied(loop, "k1");
    pass(Duration.ofSeconds(50));
    Instant last = now();
    denied(loop, "k1");
    pass(Duration.ofMillis(59_999));

    JsonObject open = only(found(CaseState.NOW, loop));
    assertThat(open.getString("tenant")).isEqualTo("acme");
    assertThat(open.getString("key")).isEqualTo("k1");
    assertThat(open.getString("limit")).isEqualTo("requests");
    assertThat(open.getString("plan")).isEqualTo("free");
    assertThat(open.getString("operation")).isEqualTo("Ask");
    assertThat(open.getString("since")).isEqualTo(first.toString());
    assertThat(open.getString("last")).isEqualTo(last.toString());
    assertThat(open.getLong("lastHour")).isEqualTo(2);
    assertThat(found(CaseState.CLOSED, loop)).isEmpty();

    pass(Duration.ofMillis(1));
    assertThat(found(CaseState.NOW, loop)).isEmpty();
    assertThat(only(found(CaseState.CLOSED, loop)).getString("last")).isEqualTo(last.toString());

    pass(Duration.ofHours(24).minusSeconds(60).minusMillis(1));
    JsonObject closed = only(found(CaseState.CLOSED, loop));
    assertThat(closed.getString("since")).isEqualTo(first.toString());
    assertThat(closed.getString("last")).isEqualTo(last.toString());
    assertThat(closed.getLong("requests")).isEqualTo(2);
    assertThat(closed.getLong("lastHour")).isZero();

    pass(Duration.ofMillis(1));
    assertThat(found(CaseState.CLOSED, loop)).isEmpty();
  }

  @Test
  void requestsAreThoseOfTheCaseOnAllNodesAndOfNoEarlierOne() {
    LoopCases other = new LoopCases();
    denied(loop, "k1");
    pass(Duration.ofSeconds(90));
    denied(loop, "k1");
    denied(loop, "k1");
    pass(Duration.ofSeconds(30));
    denied(other, "k1");
    pass(Duration.ofSeconds(59));
    assertThat(only(found(CaseState.NOW, loop, other)).getLong("requests")).isEqualTo(3);

    pass(Duration.ofHours(5));
    JsonObject closed = only(found(CaseState.CLOSED, loop, other));
    assertThat(closed.getLong("requests")).isEqualTo(3);
    assertThat(Duration.between(
            Instant.parse(closed.getString("since")), Instant.parse(closed.getString("last"))))
        .isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aNodeOfTheReleaseBeforeIsUnderstood() {
    denied(loop, "k1");
    CaseQuery asked = new CaseQuery(CaseState.NOW, Optional.empty(), CaseQuery.MOST);
    JsonObject sent = loop.find(asked, nanos(), now()).toJson();
    JsonArray run =
        sent.getJsonArray("denied").getJsonObject(0).getJsonArray("runs").getJsonArray(0);
    run.remove(2);

    Cases read = Cases.parse(sent);
    assertThat(only(CaseState.NOW.of(read, millis())).getString("since"))
        .isEqualTo(now().toString());
  }

  @Test
  void aDenialAfterThatOpensANewCase() {
    denied(loop, "k1");
    pass(Duration.ofSeconds(60));
    Instant again = now();
    denied(loop, "k1");

    JsonObject open = only(found(CaseState.NOW, loop));
    assertThat(open.getString("since")).isEqualTo(again.toString());
    assertThat(open.getLong("lastHour")).isEqualTo(2);
    assertThat(found(CaseState.CLOSED, loop)).isEmpty();
  }

  @Test
  void aCaseOfSeveralNodesHasTheSumTheFirstAndTheLast() {
    LoopCases other = new LoopCases();
    Instant first = now();
    denied(other, "k1");
    pass(Duration.ofSeconds(10));
    denied(loop, "k1");
    pass(Duration.ofSeconds(10));
    Instant last = now();
    denied(other, "k1");
    denied(other, "k2");

    List<Case> cases = found(CaseState.NOW, loop, other);
    assertThat(cases.stream().map(one -> one.name().key().orElseThrow()))
        .containsExactly("k1", "k2");
    JsonObject sum = cases.get(0).describe();
    assertThat(sum.getString("since")).isEqualTo(first.toString());
    assertThat(sum.getString("last")).isEqualTo(last.toString());
    assertThat(sum.getLong("lastMinute")).isEqualTo(3);
    assertThat(sum.getLong("lastHour")).isEqualTo(3);
  }

  @Test
  void aPauseOnEachNodeIsNoneIfOthersDenyMeanwhile() {
    LoopCases other = new LoopCases();
    pass(Duration.ofSeconds(7));
    Instant first = now();
    for (int i = 0; i < 20; i++) {
      denied(i % 2 == 0 ? loop : other, "k1");
      pass(Duration.ofSeconds(50));
    }

    assertThat(only(found(CaseState.NOW, loop, other)).getString("since"))
        .isEqualTo(first.toString());
  }

  @Test
  void aCaseThatLastsIsAsOldAsItIs() {
    Instant first = now();
    for (int i = 0; i < 5 * 60 * 2; i++) {
      denied(loop, "k1");
      pass(Duration.ofSeconds(30));
    }

    JsonObject open = only(found(CaseState.NOW, loop));
    assertThat(open.getString("since")).isEqualTo(first.toString());
    assertThat(open.getLong("lastHour")).isBetween(118L, 120L);
  }

  @Test
  void theMinutesOfAnHourAreCountedApart() {
    clock.advance(-clock.getAsLong() % 60_000_000); // a minute begins
    for (int minute = 0; minute < 100; minute++) {
      for (int i = 0; i < minute; i++) {
        denied(loop, "k1");
      }
      pass(Duration.ofMinutes(1));
    }
    pass(Duration.ofMillis(-1));

    List<Integer> minutes = found(CaseState.NOW, loop).get(0).minutes();
    assertThat(minutes).hasSize(60).isSorted().startsWith(40).endsWith(99);
    pass(Duration.ofMinutes(30));
    assertThat(found(CaseState.CLOSED, loop).get(0).minutes())
        .startsWith(70, 71)
        .endsWith(0, 0)
        .contains(99)
        .filteredOn(count -> count == 0)
        .hasSize(30);
  }

  @Test
  void aClockThatIsSetBackStandsStill() {
    denied(loop, "k1");
    Instant last = now();
    pass(Duration.ofHours(-2));
    denied(loop, "k1");

    CaseQuery asked = new CaseQuery(CaseState.NOW, Optional.empty(), CaseQuery.MOST);
    Case open = loop.find(asked, nanos(), last).of(CaseType.DENIED).get(0);
    assertThat(open.describe().getString("since")).isEqualTo(last.toString());
    assertThat(open.describe().getString("last")).isEqualTo(last.toString());
    assertThat(open.minutes()).endsWith(2);

    pass(Duration.ofHours(2).plusSeconds(60));
    assertThat(found(CaseState.NOW, loop)).isEmpty();
    assertThat(only(found(CaseState.CLOSED, loop)).getLong("lastHour")).isEqualTo(2);
  }

  @Test
  void aFloodOfInventedNamesLeavesTheMemoryFlat() {
    for (int i = 0; i < 100_000; i++) {
      loop.count(CaseType.DENIED, name("invented", "k" + i), BY, nanos());
      loop.count(CaseType.NEAR, name("t" + i, "k"), BY, nanos());
      if (i % 100 == 0) {
        loop.count(CaseType.DENIED, name("invented", "busy"), BY, nanos());
      }
      if (i == 0) {
        denied(loop, "quiet");
      }
    }

    assertThat(loop.size()).isLessThanOrEqualTo(2 * LoopCases.MOST);
    List<Case> open = found(CaseState.NOW, loop);
    assertThat(open).hasSizeLessThanOrEqualTo(CaseQuery.MOST_OF_NODE);
    assertThat(open.get(0).name()).isEqualTo(name("invented", "busy"));
    assertThat(open.get(0).lastMinute()).isEqualTo(1000);
    CaseQuery acme = new CaseQuery(CaseState.NOW, Optional.of("acme"), CaseQuery.MOST);
    assertThat(loop.find(acme, nanos(), now()).of(CaseType.DENIED))
        .extracting(Case::name)
        .containsExactly(name("acme", "quiet"));
  }

  @Test
  void aDayOfInventedNamesLeavesTheMemoryFlatAndTheQuietTenantsInIt() {
    denied(loop, "quiet");
    for (int minute = 0; minute < 23 * 60; minute++) {
      for (int i = 0; i < 50; i++) {
        loop.count(CaseType.DENIED, name("invented", minute + "/" + i), BY, nanos());
      }
      pass(Duration.ofMinutes(1));
    }

    assertThat(loop.size()).isLessThanOrEqualTo(LoopCases.MOST);
    CaseQuery acme = new CaseQuery(CaseState.CLOSED, Optional.of("acme"), CaseQuery.MOST);
    assertThat(loop.find(acme, nanos(), now()).of(CaseType.DENIED))
        .extracting(Case::name)
        .containsExactly(name("acme", "quiet"));
  }

  @Test
  void aCaseHasABoundedNumberOfRuns() {
    for (int i = 0; i < 1000; i++) {
      denied(loop, "k1");
      pass(Duration.ofSeconds(61));
    }

    assertThat(found(CaseState.CLOSED, loop).get(0).runs()).hasSizeLessThanOrEqualTo(60);
  }

  @Test
  void whoIsDeniedIsNotNearly() {
    loop.count(CaseType.NEAR, name("acme", "k1"), BY, nanos());
    loop.count(CaseType.NEAR, name("acme", "k2"), BY, nanos());
    LoopCases other = new LoopCases();
    denied(other, "k1");

    assertThat(only(found(CaseState.NEARLY, loop, other)).getString("key")).isEqualTo("k2");
    pass(Duration.ofSeconds(60));
    assertThat(found(CaseState.NEARLY, loop, other)).isEmpty();
  }

  @Test
  void whatALimitOnlyWarnsOfIsNearlyAndSaysSo() {
    loop.count(CaseType.WARNED, name("acme", "k1"), BY, nanos());
    denied(loop, "k1"); // by the same name: another plan enforces it

    assertThat(only(found(CaseState.NEARLY, loop)))
        .contains(entry("soft", true), entry("why", BY.limit() + ", only warns"));
    assertThat(only(found(CaseState.NOW, loop)).containsKey("soft")).isFalse();
  }

  @Test
  void whatWouldBeDeniedIsApart() {
    loop.count(CaseType.WOULD_DENY, name("acme", "k1"), BY, nanos());

    assertThat(found(CaseState.NOW, loop)).isEmpty();
    assertThat(only(found(CaseState.WOULDBE, loop)).getString("key")).isEqualTo("k1");
  }

  @Test
  void theCaseOfALimitThatKeysShareIsThatOfTheirTenant() {
    Policy policy = PolicyDocuments.parse("policy", """
        buckets:
          - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
          - { name: team, scope: tenant, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
          - { name: all, scope: cluster, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
          - { name: next, scope: tenant, mode: audit, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
        permits:
          - { name: streams, scope: tenant, limit: 5, lease: 60s, operations: [Ask] }
        subjects: { k1: { tenant: acme } }
        """).policy();
    Question question = new Question(policy.subject("k1").orElseThrow(), "Ask", 1);

    for (String shared : List.of("team", "all", "next", "streams", "tenant_frozen")) {
      assertThat(CaseName.of(question, shared))
          .isEqualTo(new CaseName("acme", Optional.empty(), shared));
    }
    for (String own : List.of("requests", "key_frozen")) {
      assertThat(CaseName.of(question, own))
          .isEqualTo(new CaseName("acme", Optional.of("k1"), own));
    }
  }

  @Test
  void aListThatIsCutSaysSo() {
    CaseQuery asked = new CaseQuery(CaseState.NOW, Optional.empty(), CaseQuery.MOST);
    for (int i = 1; i < CaseQuery.MOST_OF_NODE; i++) {
      denied(loop, "k" + i);
    }
    assertThat(CaseState.NOW.mayHaveMore(loop.find(asked, nanos(), now()), millis()))
        .isFalse();
    denied(loop, "k0");
    assertThat(CaseState.NOW.mayHaveMore(loop.find(asked, nanos(), now()), millis()))
        .isTrue();
    assertThat(CaseState.CLOSED.mayHaveMore(loop.find(asked, nanos(), now()), millis()))
        .isFalse();
    pass(Duration.ofMinutes(1));
    assertThat(CaseState.NOW.mayHaveMore(loop.find(asked, nanos(), now()), millis()))
        .isFalse();
    assertThat(CaseState.CLOSED.mayHaveMore(loop.find(asked, nanos(), now()), millis()))
        .isTrue();
  }

  private long millis() {
    return now().toEpochMilli();
  }
}
