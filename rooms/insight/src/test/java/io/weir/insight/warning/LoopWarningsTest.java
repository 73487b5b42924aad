package io.weir.insight.warning;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.node.admission.Witness.Question;
import io.weir.state.document.PolicyDocuments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a limit that fills up is told, and when it is not. */
final class LoopWarningsTest {
  private static final String BUCKETS = """
      buckets:
        - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Ask] }] }
      plans: { free: { buckets: [requests] } }
      defaults: { plan: free }
      """;
  private static final PolicyRevision POLICY =
      new PolicyRevision(7, policy("warnings: { near: { to: ops, tenants: [acme], again: 10m } }"));

  private final List<String> told = new ArrayList<>();
  private final LoopWarnings warnings =
      new LoopWarnings(warning -> told.add(warning.limit().bucket() + " " + warning.at()));
  private long nowNanos;

  private static Policy policy(String more) {
    return PolicyDocuments.parse("policy", BUCKETS + more).policy();
  }

  private static Subject subject(String tenant, String key) {
    return policy("subjects: [{ id: %s, tenant: %s }]".formatted(key, tenant))
        .subject(key)
        .orElseThrow();
  }

  private void used(int percent) {
    used("acme", "a", limit(Kind.RATE, "requests", percent, 1000));
  }

  private void used(String tenant, String key, Limit limit) {
    Subject subject = subject(tenant, key);
    warnings.told(new Question(subject, "Ask", 1), List.of(limit), POLICY, nowNanos);
  }

  private static Limit limit(Kind kind, String name, int percent, long resetMicros) {
    return new Limit(name, kind, Scope.KEY, 100, 1000, percent, 100 - percent, resetMicros);
  }

  private void pass(Duration time) {
    nowNanos += time.toNanos();
  }

  @Test
  void eachPercentageIsToldWhenItIsReached() {
    List.of(10, 79, 80, 85, 89, 90, 99, 100, 100).forEach(this::used);
    assertThat(told).containsExactly("requests 80", "requests 90", "requests 100");
  }

  @Test
  void onlyTheHighestOfThoseThatAreReachedAtOnceIsTold() {
    used(100);
    used(95);
    assertThat(told).containsExactly("requests 100");
  }

  @Test
  void aLimitMustHaveBeenTenPointsBelowAndTheTimeOver() {
    used(80);
    pass(Duration.ofMinutes(9));
    List.of(75, 80, 71, 80).forEach(this::used); // not ten points below
    pass(Duration.ofMinutes(9)); // the time is over
    List.of(71, 82).forEach(this::used);
    assertThat(told).containsExactly("requests 80");
    List.of(70, 80).forEach(this::used);
    assertThat(told).containsExactly("requests 80", "requests 80");
  }

  @Test
  void aLimitThatFillsUpAndEmptiesAllTheTimeIsToldOnceInItsTime() {
    for (int i = 0; i < 1000; i++) {
      used(100);
      used(0);
      pass(Duration.ofMillis(500));
    }
    assertThat(told).containsExactly("requests 100");
    pass(Duration.ofMinutes(10));
    used(100);
    assertThat(told).containsExactly("requests 100", "requests 100");
  }

  @Test
  void aLimitThatStaysFullIsNotToldAgain() {
    for (int i = 0; i < 100; i++) {
      used(85);
      pass(Duration.ofMinutes(5));
    }
    assertThat(told).containsExactly("requests 80");
  }

  @Test
  void aQuotaIsToldOnceAPeriod() {
    long period = 60_000_000;
    used("acme", "a", limit(Kind.QUOTA, "day", 90, period));
    pass(Duration.ofSeconds(61));
    used("acme", "a", limit(Kind.QUOTA, "day", 1, period));
    used("acme", "a", limit(Kind.QUOTA, "day", 90, period));
    assertThat(told).containsExactly("day 90", "day 90");
  }

  @Test
  void othersAreNotTold() {
    used("other", "b", limit(Kind.RATE, "requests", 100, 1));
    assertThat(told).isEmpty();
  }

  @Test
  void whatCannotBeToldIsAskedAgain() {
    List<Integer> asked = new ArrayList<>();
    LoopWarnings busy = new LoopWarnings(warning -> !asked.add(warning.at()));
    Subject subject = subject("acme", "a");
    for (int i = 0; i < 3; i++) {
      busy.told(
          new Question(subject, "Ask", 1), List.of(limit(Kind.RATE, "requests", 80, 1)), POLICY, i);
    }
    assertThat(asked).containsExactly(80, 80, 80);
  }
}
