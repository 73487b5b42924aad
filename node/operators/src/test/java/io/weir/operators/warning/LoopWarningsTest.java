package io.weir.operators.warning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.node.admission.Witness.Question;
import io.weir.state.document.PolicyDocuments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    warnings.answered(new Question(subject, "Ask", 1), List.of(limit), POLICY, nowNanos);
  }

  private static Limit limit(Kind kind, String name, int percent, long resetMicros) {
    long reset =
        kind == Kind.RATE ? 10_000L * percent : resetMicros; // of a bucket that drains in a second
    return new Limit(name, kind, Scope.KEY, 100, 1000, percent, 100 - percent, reset);
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
  void percentagesMayBeDecimalNumbers() {
    assertThat(policy("warnings: { near: { to: ops, at: [50, 0.8, '0.9', '100'] } }")
            .parts()
            .get(WarningRules.PART)
            .map(rules -> rules.all().get(0).at()))
        .contains(List.of(50, 80, 90, 100));
    assertThat(catchThrowableOfType(
                InvalidPolicyException.class,
                () -> policy("warnings: { near: { to: ops, at: [80, 1.0] } }"))
            .problems())
        .singleElement()
        .matches(problem -> problem.location().path().equals("warnings.near.at[1]"))
        .matches(problem -> problem.message().contains("per cent from 1 to 100"));
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
  void aQuotaIsToldOnceAPeriodThoughOthersSeeItsBegin() {
    long period = 60_000_000;
    for (int i = 0; i < 3; i++) {
      used("acme", "a", limit(Kind.QUOTA, "minute", 95, period / 2));
      used("acme", "a", limit(Kind.QUOTA, "minute", 96, period / 4));
      pass(Duration.ofSeconds(50));
    }
    assertThat(told).containsExactly("minute 90", "minute 90", "minute 90");
  }

  @Test
  void aLimitThatFillsUpAgainInItsQuietTimeIsToldAfterIt() {
    used(100);
    pass(Duration.ofMinutes(5));
    used(0);
    for (int i = 0; i < 10; i++) {
      used(100);
      pass(Duration.ofMinutes(1));
    }
    assertThat(told).containsExactly("requests 100", "requests 100");
  }

  @Test
  void aLimitOfFewLargeOperationsIsNotFullBecauseNoneFits() {
    used("acme", "a", new Limit("requests", Kind.RATE, Scope.KEY, 1, 1000, 10, 0, 10_000));
    assertThat(told).isEmpty();
    used("acme", "a", new Limit("requests", Kind.RATE, Scope.KEY, 1, 1000, 930, 0, 930_000));
    assertThat(told).containsExactly("requests 100");
  }

  @Test
  void whatAnotherNodeHasToldIsAskedForAgainWhenItsTimeIsOver() {
    List<Warning> claimed = new ArrayList<>();
    LoopWarnings loop = new LoopWarnings(claimed::add);
    Question question = new Question(subject("acme", "a"), "Ask", 1);
    List<Limit> full = List.of(limit(Kind.RATE, "requests", 100, 0));
    List<Limit> empty = List.of(limit(Kind.RATE, "requests", 0, 0));
    loop.answered(question, full, POLICY, 0);
    loop.sentElsewhere(claimed.get(0), Duration.ofMinutes(2).toNanos());
    loop.answered(question, empty, POLICY, Duration.ofMinutes(1).toNanos());
    loop.answered(question, full, POLICY, Duration.ofMinutes(1).toNanos());
    assertThat(claimed).hasSize(1);
    loop.answered(question, full, POLICY, Duration.ofMinutes(3).toNanos());
    assertThat(claimed).hasSize(2);
    loop.notSent(claimed.get(1));
    loop.answered(question, full, POLICY, Duration.ofMinutes(3).toNanos() + 1);
    assertThat(claimed).hasSize(3);
  }

  @Test
  void aTenantWithManyKeysForgetsItsOwn() {
    used("acme", "quiet", limit(Kind.RATE, "requests", 85, 0));
    told.clear();
    LoopWarnings loop =
        new LoopWarnings(warning -> told.add(warning.question().subject().id()));
    PolicyRevision all =
        new PolicyRevision(8, policy("warnings: { near: { to: ops, again: 10m } }"));
    List<Limit> nearly = List.of(limit(Kind.RATE, "requests", 85, 0));
    Subject victim = subject("victim", "quiet");
    Plan plan = victim.plan();
    loop.answered(new Question(victim, "Ask", 1), nearly, all, 0);
    for (int i = 0; i < 3 * Fills.MOST; i++) {
      Subject loud = new Subject(
          "k" + i, "loud" + i % 4, plan, Optional.empty(), new SubjectSource.OfPolicy("k" + i));
      loop.answered(new Question(loud, "Ask", 1), nearly, all, i);
      loop.answered(new Question(victim, "Ask", 1), nearly, all, i);
    }
    assertThat(told.stream().filter("quiet"::equals)).hasSize(1);
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
      busy.answered(
          new Question(subject, "Ask", 1), List.of(limit(Kind.RATE, "requests", 80, 1)), POLICY, i);
    }
    assertThat(asked).containsExactly(80, 80, 80);
  }
}
