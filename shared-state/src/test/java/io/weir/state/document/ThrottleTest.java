package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.Throttle;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.testing.CheckedPolicies;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class ThrottleTest {
  private final InMemoryBucketStore store = new InMemoryBucketStore(new ManualClock());

  @Test
  void aNodeWithAnOldPolicyReloadsItAndDecidesByTheNewOne() {
    Source fresh = new Source(policy(2, 50), policy(2, 50));
    Source outdated = new Source(policy(1, 100), policy(2, 50));
    new Throttle(store, fresh).tryTake("k1", "Ping", 1).toCompletableFuture().join();
    Decision decision = new Throttle(store, outdated)
        .tryTake("k1", "Ping", 1)
        .toCompletableFuture()
        .join();
    assertThat(decision.revision()).isEqualTo(2);
    assertThat(decision.limits().get(0).quota()).isEqualTo(50);
    assertThat(decision.limits().get(0).remaining()).isEqualTo(48);
    assertThat(outdated.reloads).isEqualTo(1);
  }

  @Test
  void aNodeThatCannotReachTheNewPolicyDecidesNothing() {
    Source fresh = new Source(policy(2, 50), policy(2, 50));
    Source stuck = new Source(policy(1, 100), policy(1, 100));
    new Throttle(store, fresh).tryTake("k1", "Ping", 1).toCompletableFuture().join();
    assertThatThrownBy(() -> new Throttle(store, stuck)
            .tryTake("k1", "Ping", 1)
            .toCompletableFuture()
            .join())
        .hasCauseInstanceOf(StoreUnavailableException.class);
    assertThat(stuck.reloads).isEqualTo(3);
  }

  @Test
  void peekingTakesNothing() {
    Throttle throttle = new Throttle(store, new Source(policy(1, 3), policy(1, 3)));
    throttle.tryTake("k1", "Ping", 3).toCompletableFuture().join();
    assertThat(throttle.peek("k1", "Ping", 1).toCompletableFuture().join())
        .isInstanceOf(Denied.class);
    assertThat(throttle.peek("k2", "Ping", 3).toCompletableFuture().join())
        .isInstanceOf(Allowed.class);
    assertThat(throttle.tryTake("k2", "Ping", 3).toCompletableFuture().join())
        .isInstanceOf(Allowed.class);
  }

  @Test
  void decisionsOfThePolicyAloneNeverAskTheStore() {
    Throttle throttle = new Throttle(
        new BucketStore() {
          @Override
          public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
            throw new AssertionError("asked");
          }

          @Override
          public CompletionStage<StoreAnswer> peek(Charge charge) {
            throw new AssertionError("asked");
          }
        },
        new Source(policy(1, 3), policy(1, 3)));
    assertThat(throttle.tryTake("free", "Ping", 9).toCompletableFuture().join())
        .isEqualTo(new Allowed(1, List.of()));
    assertThat(reason(throttle, "frozen", "Ping")).isEqualTo(Reason.ACCESS_DISABLED);
    assertThat(reason(throttle, "k1", "Other")).isEqualTo(Reason.OPERATION_NOT_CONFIGURED);
  }

  @Test
  void aSubjectThatIsNotInThePolicyIsUnknown() {
    Throttle throttle = new Throttle(store, new Source(policy(1, 3), policy(1, 3)));
    assertThatThrownBy(
            () -> throttle.tryTake("k9", "Ping", 1).toCompletableFuture().join())
        .hasCauseInstanceOf(UnknownSubjectException.class);
  }

  @Test
  void aRepeatedChargeOnALeasedBucketIsNotMadeAgain() {
    HoldingStore holding = new HoldingStore();
    Throttle throttle = new Throttle(holding, new Source(leased(1), leased(1)));
    assertThat(decide(throttle, "k1", "Ping", 1)).isInstanceOf(Denied.class);
    for (int i = 0; i < 3; i++) {
      assertThat(decide(throttle, "k1", "Ping", 1)).isInstanceOf(Allowed.class);
    }
    Charge charge = holding.atOnce.get(0);
    assertThat(holding.atOnce).hasSize(3).allSatisfy(one -> assertThat(one).isSameAs(charge));
    assertThat(charge.subject()).isEqualTo("k1");
    assertThat(charge.tenant()).isEqualTo("acme");
    assertThat(charge.ticket()).isEqualTo(TicketRequest.NONE);
  }

  @Test
  void anotherSubjectOperationCostOrPolicyIsAnotherCharge() {
    HoldingStore holding = new HoldingStore();
    Source source = new Source(leased(1), leased(2));
    Throttle throttle = new Throttle(holding, source);
    assertThat(decide(throttle, "k1", "Ping", 1)).isInstanceOf(Denied.class);
    assertThat(decide(throttle, "k2", "Ping", 1)).isInstanceOf(Denied.class);
    assertThat(decide(throttle, "k1", "Pong", 1)).isInstanceOf(Denied.class);
    assertThat(decide(throttle, "k1", "Ping", 2)).isInstanceOf(Denied.class);
    assertThat(decide(throttle, "k1", "Ping", 2)).isInstanceOf(Allowed.class);
    source.reload(2);
    assertThat(decide(throttle, "k1", "Ping", 2).revision()).isEqualTo(2);
    assertThat(decide(throttle, "k1", "Ping", 2).revision()).isEqualTo(2);
    assertThat(holding.atOnce).extracting(Charge::revision).containsExactly(1L, 2L);
  }

  // A record of a key may have another plan than a subject of the policy with its name.
  @Test
  void aSubjectFromElsewhereIsNotTakenForOneOfThePolicy() {
    HoldingStore holding = new HoldingStore();
    PolicyRevision policy = leased(1);
    Subject listed = policy.policy().subject("k1").orElseThrow();
    Subject record =
        new Subject("k1", "globex", listed.plan(), Optional.empty(), other -> Optional.of(listed));
    Throttle throttle = new Throttle(holding, new Source(policy, policy));
    var unused = throttle.tryTake(
        record, "Ping", Cost.of(1), TicketRequest.NONE, limited -> Optional.empty());
    assertThat(decide(throttle, "k1", "Ping", 1)).isInstanceOf(Denied.class);
    assertThat(holding.atOnce).isEmpty();
  }

  private static Decision decide(Throttle throttle, String subject, String operation, long cost) {
    return throttle.tryTake(subject, operation, cost).toCompletableFuture().join();
  }

  /** Admits what it may admit at once, and denies everything else. */
  private static final class HoldingStore implements BucketStore {
    private final List<Charge> atOnce = new ArrayList<>();

    @Override
    public Allowed tryAtOnce(Charge charge) {
      atOnce.add(charge);
      return Verdict.allowed(charge.revision(), charge.demands(), 1);
    }

    @Override
    public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
      Decision denied = charge.verdict().decision(Outcome.DENIED, new long[1], Wait.NONE);
      return CompletableFuture.completedFuture(new StoreAnswer.Decided(denied, QueueReport.NONE));
    }

    @Override
    public CompletionStage<StoreAnswer> peek(Charge charge) {
      throw new AssertionError("asked");
    }
  }

  private static PolicyRevision leased(long revision) {
    String text = """
        buckets:
          - { name: busy, scope: tenant, leased: true, burstPeriod: 1,
              throttleGroups: [{ opsPerSec: 100, operations: [Ping, Pong] }] }
        subjects:
          k1: { tenant: acme }
          k2: { tenant: acme }
        """;
    return new PolicyRevision(revision, CheckedPolicies.parse("policy", text).policy());
  }

  private static Reason reason(Throttle throttle, String subject, String operation) {
    return ((NeverAllowed)
            throttle.tryTake(subject, operation, 1).toCompletableFuture().join())
        .reason();
  }

  private static PolicyRevision policy(long revision, int opsPerSec) {
    String text = """
        buckets:
          - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: %d, operations: [Ping] }] }
        subjects:
          k1: { tenant: acme }
          k2: { tenant: acme }
          free: { tenant: acme, unlimited: true }
          frozen: { tenant: acme, frozen: true }
        """.formatted(opsPerSec);
    return new PolicyRevision(revision, CheckedPolicies.parse("policy", text).policy());
  }

  /** A source with one policy, and another one after a reload. */
  private static final class Source implements PolicySource {
    private final PolicyRevision later;
    private PolicyRevision current;
    private int reloads;

    Source(PolicyRevision current, PolicyRevision later) {
      this.current = current;
      this.later = later;
    }

    @Override
    public PolicyRevision current() {
      return current;
    }

    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      reloads++;
      current = later;
      return CompletableFuture.completedFuture(current);
    }
  }
}
