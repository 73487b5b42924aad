package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationRule.Stage;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.schema.Problem;
import io.weir.state.testing.CheckedPolicies;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        - { name: spare, scope: tenant, limit: 10, period: 1h, sliding: true, soft: true, near: 50, counts: requests, operations: [Ask] }
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
        new CalendarPeriods(CalendarPeriods.Period.MONTH, ZoneId.of("Europe/Berlin"), 31),
        false,
        80,
        false,
        false);
    Quota spare = new Quota(
        "spare", Scope.TENANT, 10, new FixedPeriods(3_600_000, true), true, 50, true, true);
    assertThat(gold).startsWith(month, spare, new Permits("streams", Scope.KEY, 30, 20_000_000));
    assertThat(limit("k2", "Ask").others()).doesNotHaveAnyElementsOfTypes(Permits.class);
    assertThat(limit("k1", "Pay").others()).hasAtLeastOneElementOfType(Quota.class);
    assertThat(limit("k2", "Pay").others()).doesNotHaveAnyElementsOfTypes(Quota.class);
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
    assertThat(policy.rule("Pay").orElseThrow().excess().stage()).contains(Stage.EXECUTION);
  }

  @Test
  void decimalNumbersMeanTheSameFractions() {
    Policy decimal = CheckedPolicies.parse(
            "decimals.yaml",
            POLICY
                .replace("atLeast: 30", "atLeast: 0.3")
                .replace("share: 20", "share: 0.2")
                .replace("90,10x,95.7,25x", "0.9,10x,0.95,25x")
                .replace("near: 50", "near: 0.5"))
        .policy();
    for (String subject : List.of("k1", "k2")) {
      assertThat(limit(decimal, subject, "Ask")).isEqualTo(limit(subject, "Ask"));
    }
    assertThat(decimal.rule("Ask").flatMap(OperationRule::settle))
        .isEqualTo(policy.rule("Ask").flatMap(OperationRule::settle));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0,1000,9000,5000", "0,1,0.9,5", "0,1.0,0.9,5000", " 0 , 1000 , 9000 , 5.0 "})
  void aCurveIsInItsUnitsOrInDecimalNumbers(String curve) {
    Policy curved = CheckedPolicies.parse(
            "curve.yaml",
            POLICY.replace(
                "steps: \"90,10x,95.7,25x\", period: 5s", "curve: \"%s\"".formatted(curve)))
        .policy();
    Congestion congestion = (Congestion) limit(curved, "k2", "Ask").others().get(2);
    assertThat(congestion.scale().points())
        .containsExactly(new Congestion.Point(0, 1000), new Congestion.Point(9000, 5000));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "share: 20 | share: 1.0 | 1 or 100, whichever is meant, in per cent",
        "share: 20 | share: 0.125 | per cent from 1 to 99, or a decimal number from 0.01 to 0.99",
        "near: 50 | near: 1.0 | 1 or 100, whichever is meant, in per cent",
        "90,10x,95.7,25x | 1.0,10x | per cent, or a decimal number, and a whole multiplier",
        "90,10x,95.7,25x | 90,1.5x | per cent, or a decimal number, and a whole multiplier",
        "90,10x,95.7,25x | 90,10x,95 | per cent, or a decimal number, and a whole multiplier"
      })
  void aWrongFractionIsRefusedWithItsUnit(String old, String wrong, String message) {
    InvalidPolicyException refusal = catchThrowableOfType(
        InvalidPolicyException.class,
        () -> CheckedPolicies.parse("wrong.yaml", POLICY.replace(old, wrong)));
    assertThat(refusal.problems())
        .extracting(Problem::message)
        .first()
        .asString()
        .contains(message);
  }

  @Test
  void aVeryLongListOfStepsIsRefused() {
    InvalidPolicyException refusal = catchThrowableOfType(
        InvalidPolicyException.class,
        () -> CheckedPolicies.parse(
            "long.yaml", POLICY.replace("90,10x,95.7,25x", "90,10x,".repeat(8000) + "95,25x")));
    assertThat(refusal.problems()).extracting(Problem::code).contains("congestion_not_rising");
  }

  private Limited limit(String subject, String operation) {
    return limit(policy, subject, operation);
  }

  private static Limited limit(Policy policy, String subject, String operation) {
    return (Limited) policy.subject(subject).orElseThrow().plan().limit(operation);
  }
}
