package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarWindow;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.FixedWindow;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationRule.Stage;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.state.testing.CheckedPolicies;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Limits other than rates in a policy. */
final class KindPoliciesTest {
  private static final String POLICY = """
      operations:
        - { name: Ask, cost: { json: /n, default: 5 }, settle: { usage: anthropic, lease: 10s, onExpiry: keep, atLeast: 30 } }
        - { name: Pay, stage: execution }
        - { name: Put, cost: { bytes: 1024 } }
      buckets:
        - { name: tokens, burstPeriod: 10, keepFor: { share: 20, plans: [gold] }, congestion: { steps: "90,10x,95.7,25x", period: 5s, price: true },
            throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Pay] }] }
        - { name: calls, burstPeriod: 10, counts: requests, overflow: credits, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
        - { name: credits, scope: tenant, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 1, operations: [Ask, Put] }] }
      quotas:
        - { name: month, scope: tenant, limit: 100, period: month, zone: Europe/Berlin, anchor: 31, operations: [Ask], overflow: spare }
        - { name: spare, scope: tenant, limit: 10, period: 60m, sliding: true, soft: true, near: 50, counts: requests, operations: [Ask] }
        - { name: week, limit: 7, period: week, anchor: sunday, operations: [Pay] }
      permits:
        - { name: streams, limit: 3, lease: 20s, operations: [Ask] }
      plans:
        gold: { overrides: [{ limits: streams, limit: 30 }] }
        free: { shedAt: 10x, limits: [month, spare], buckets: [tokens, calls, credits] }
      tenants:
        acme: { plan: gold, overrides: [{ limits: month, limit: 500 }] }
        globex: { plan: free }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: globex }
      """;

  private final Policy policy = CheckedPolicies.parse("kinds.yaml", POLICY).policy();

  @Test
  void aShareIsPartedAndGoesOverIntoTheRest() {
    List<Demand> gold = limit("k1", "Ask").demands();
    assertThat(gold)
        .extracting(demand -> demand.bucket().name())
        .containsExactly("tokens:kept", "tokens", "calls", "credits");
    assertThat(gold).extracting(Demand::overflow).containsExactly(false, true, false, true);
    assertThat(gold)
        .extracting(demand -> demand.bucket().rate().opsPerSec())
        .containsExactly(200.0, 800.0, 10.0, 1.0);
    List<Demand> free = limit("k2", "Ask").demands();
    assertThat(free)
        .extracting(demand -> demand.bucket().name())
        .containsExactly("tokens", "calls", "credits");
    assertThat(free.get(0).bucket()).isEqualTo(gold.get(1).bucket());
  }

  @Test
  void requestsAreCountedOnce() {
    Demand calls = limit("k2", "Ask").demands().get(1);
    assertThat(calls.units(1000)).isEqualTo(calls.bucket().unitsPerOperation());
    assertThat(limit("k2", "Put").demands()).extracting(Demand::overflow).containsExactly(false);
  }

  @Test
  void quotasAndPermitsOfAPlanWithItsOverrides() {
    List<Object> gold = List.copyOf(limit("k1", "Ask").others());
    Quota month = new Quota(
        "month",
        Scope.TENANT,
        500,
        new CalendarWindow(CalendarWindow.Period.MONTH, ZoneId.of("Europe/Berlin"), 31),
        false,
        80,
        false,
        false);
    Quota spare = new Quota(
        "spare", Scope.TENANT, 10, new FixedWindow(3_600_000, true), true, 50, true, true);
    assertThat(gold).startsWith(month, spare, new Permits("streams", Scope.KEY, 30, 20_000_000));
    assertThat(limit("k2", "Ask").others()).doesNotHaveAnyElementsOfTypes(Permits.class);
    assertThat(limit("k1", "Pay").others()).hasAtLeastOneElementOfType(Quota.class);
    assertThat(limit("k2", "Pay").others()).doesNotHaveAnyElementsOfTypes(Quota.class);
    assertThat(policy.subject("k1").orElseThrow().plan().quota("month")).contains(month);
  }

  @Test
  void congestionIsOfTheSharedPart() {
    Congestion free = (Congestion) limit("k2", "Ask").others().get(2);
    assertThat(free.bucket().rate()).isEqualTo(Rate.ofMilliOpsPerSec(800_000));
    assertThat(free.isPrice()).isTrue();
    assertThat(free.shedAtMillis()).isEqualTo(OptionalLong.of(10_000));
    assertThat(free.scale().points())
        .containsExactly(new Congestion.Point(9000, 10_000), new Congestion.Point(9500, 25_000));
    assertThat(free.scale().periodMicros()).isEqualTo(OptionalLong.of(5_000_000));
  }

  @Test
  void operationsSayHowTheyAreSettled() {
    assertThat(policy.rule("Ask").orElseThrow().settle())
        .contains(new SettleRule(SettleRule.Source.ANTHROPIC, "", 10_000_000, false, 30));
    assertThat(policy.rule("Pay").orElseThrow().stage()).contains(Stage.EXECUTION);
  }

  private Limited limit(String subject, String operation) {
    return (Limited) policy.subject(subject).orElseThrow().plan().limit(operation);
  }
}
