package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreAnswer.Stale;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.ManualClock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The promises of a store that decides several charges as one. */
abstract class JointContract {
  private static final long SECOND = 1_000_000;
  private static final List<Demand> TEN = rate("ten", 10, 1000);
  private static final List<Demand> SLOW = rate("slow", 1, 5000);
  private static final String NEW = "";

  private final ManualClock clock = new ManualClock();
  private RedisBucketStore store;
  private int secrets;

  /** An empty store on this clock. */
  abstract RedisBucketStore emptyStore(ManualClock manual);

  @BeforeEach
  void makeStore() {
    store = emptyStore(clock);
  }

  @Test
  void takesFromAllIfAllHaveRoom() {
    assertThat(together(charge("a", TEN, 3), charge("b", SLOW, 2)))
        .allMatch(Allowed.class::isInstance);
    assertThat(remaining("a", TEN)).isEqualTo(7);
    assertThat(remaining("b", SLOW)).isEqualTo(3);
  }

  @Test
  void takesFromNoneIfOneHasNoRoom() {
    fill("b", SLOW, 5);
    List<Decision> decisions =
        together(charge("a", TEN, 3), charge("b", SLOW, 1), charge("c", TEN, 9));
    assertThat(decisions.get(0)).isInstanceOf(Allowed.class);
    assertThat(decisions.get(1)).isInstanceOf(Denied.class);
    assertThat(remaining("a", TEN)).isEqualTo(10);
    assertThat(remaining("c", TEN)).isEqualTo(10);
  }

  @Test
  void takesNothingIfOneCanNeverPass() {
    fill("b", SLOW, 5);
    List<Decision> decisions =
        together(charge("a", TEN, 3), asking("b", SLOW, NEW), charge("c", TEN, 11));
    assertThat(decisions.get(2)).isInstanceOf(NeverAllowed.class);
    assertThat(((Denied) decisions.get(1)).estimate()).isTrue();
    assertThat(((Denied) decisions.get(1)).ticket()).isEmpty();
    assertThat(remaining("a", TEN)).isEqualTo(10);
  }

  @Test
  void theLongestWaitHasThePlaceAndItsTicketIsGoodAtTheSlot() {
    fill("a", TEN, 10);
    fill("b", SLOW, 5);
    List<Decision> decisions = together(asking("a", TEN, NEW), asking("b", SLOW, NEW));
    Denied shorter = (Denied) decisions.get(0);
    Denied longer = (Denied) decisions.get(1);
    assertThat(shorter.estimate()).isTrue();
    assertThat(shorter.ticket()).isEmpty();
    assertThat(longer.estimate()).isFalse();
    assertThat(longer.retryAfterMicros()).isGreaterThanOrEqualTo(SECOND);
    // No place was made in the other bucket: the next caller's is the first one there.
    assertThat(waitOf(asking("a", TEN, NEW))).isLessThan(SECOND / 4);
    assertThat(waitOf(asking("b", SLOW, NEW))).isGreaterThan(longer.retryAfterMicros());
    clock.advance(longer.retryAfterMicros());
    String ticket = longer.ticket().orElseThrow();
    assertThat(together(asking("a", TEN, ticket), asking("b", SLOW, ticket)))
        .allMatch(Allowed.class::isInstance);
    assertThat(decide(asking("b", SLOW, ticket))).isInstanceOf(Denied.class);
  }

  @Test
  void aTicketStaysGoodWhileAnotherChargeIsDenied() {
    fill("b", SLOW, 5);
    Denied denied =
        (Denied) together(charge("a", TEN, 1), asking("b", SLOW, NEW)).get(1);
    String ticket = denied.ticket().orElseThrow();
    clock.advance(denied.retryAfterMicros());
    fill("a", TEN, 10);
    assertThat(together(asking("a", TEN, ticket), asking("b", SLOW, ticket)).get(0))
        .isInstanceOf(Denied.class);
    clock.advance(SECOND / 5); // the time of two of ten
    assertThat(together(charge("a", TEN, 1), asking("b", SLOW, ticket)))
        .allMatch(Allowed.class::isInstance);
  }

  @Test
  void limitsOfOtherKindsTakePart() {
    Charge month = month("m", 3, 2);
    assertThat(together(charge("a", TEN, 1), month)).allMatch(Allowed.class::isInstance);
    List<Decision> decisions = together(charge("a", TEN, 1), month);
    Denied denied = (Denied) decisions.get(1);
    assertThat(denied.full()).containsExactly("month");
    assertThat(remaining("a", TEN)).isEqualTo(9);
    assertThat(together(charge("a", TEN, 1), month("m", 3, 1))).allMatch(Allowed.class::isInstance);
    clock.advance(denied.retryAfterMicros());
    assertThat(together(charge("a", TEN, 1), month)).allMatch(Allowed.class::isInstance);
  }

  @Test
  void anOlderPolicyDecidesNothing() {
    decide(charge("b", SLOW, 1, 7));
    List<StoreAnswer> answers = answers(charge("a", TEN, 1), charge("b", SLOW, 1));
    assertThat(answers).allMatch(Stale.class::isInstance);
    assertThat(peek(charge("a", TEN, 1, 7)).limits().get(0).remaining()).isEqualTo(10);
  }

  @Test
  void withoutSlotsAJointChargePassesExactlyIfEachOfThemWould() {
    Random random = new Random(Long.getLong("weir.seed", 1));
    int admitted = 0;
    int refused = 0;
    for (int step = 0; step < 300; step++) {
      List<Charge> charges = new ArrayList<>();
      for (String subject : List.of("a", "b", "c", "m")) {
        if (random.nextInt(3) > 0) {
          long cost = 1L + random.nextInt(4);
          charges.add(subject.equals("m") ? month("m", 400, cost) : charge(subject, TEN, cost));
        }
      }
      if (charges.size() < 2) {
        continue;
      }
      boolean expected = charges.stream().allMatch(it -> peek(it) instanceof Allowed);
      List<Long> before = charges.stream().map(this::left).toList();
      List<Decision> decisions = together(charges.toArray(Charge[]::new));
      assertThat(decisions.stream().allMatch(Allowed.class::isInstance))
          .as("step %d", step)
          .isEqualTo(expected);
      for (int i = 0; i < charges.size(); i++) {
        long taken = expected ? charges.get(i).cost() : 0;
        assertThat(left(charges.get(i))).isEqualTo(before.get(i) - taken);
      }
      admitted += expected ? 1 : 0;
      refused += expected ? 0 : 1;
      clock.advance(random.nextInt(300_000));
    }
    assertThat(admitted).isGreaterThan(30);
    assertThat(refused).isGreaterThan(30);
  }

  @Test
  void callersAtOnceTakeNoMoreThanTheScarcestLimitHas() {
    List<CompletionStage<List<StoreAnswer>>> asked = IntStream.range(0, 50)
        .mapToObj(
            i -> store.tryAll(new JointCharge(List.of(charge("a", TEN, 1), charge("b", SLOW, 1)))))
        .toList();
    long admitted = asked.stream()
        .map(JointContract::await)
        .filter(answers ->
            answers.stream().allMatch(answer -> ((Decided) answer).decision() instanceof Allowed))
        .count();
    assertThat(admitted).isEqualTo(5);
    assertThat(remaining("a", TEN)).isEqualTo(5);
  }

  @Test
  void chargesThatShareAnythingAreRefused() {
    assertThatThrownBy(() -> together(charge("a", TEN, 1), charge("a", SLOW, 1)))
        .hasMessageContaining("subject: 'a' (expected: one charge for each)");
    List<Demand> shared = List.of(Demand.of(new Bucket("all", Scope.TENANT, 1000, 1000)));
    assertThatThrownBy(() -> together(charge("a", TEN, 1), charge("b", shared, 1)))
        .hasMessageContaining("expected: limits of the key alone");
    assertThatThrownBy(() -> together(charge("a", TEN, 1)))
        .hasMessageContaining("charges: 1 (expected: 2 to 32)");
  }

  private static List<Demand> rate(String name, long opsPerSec, long burstMillis) {
    return List.of(Demand.of(new Bucket(name, Scope.KEY, opsPerSec * 1000, burstMillis)));
  }

  private static Charge charge(String subject, List<Demand> demands, long cost) {
    return charge(subject, demands, cost, 1);
  }

  private static Charge charge(String subject, List<Demand> demands, long cost, long revision) {
    return new Charge(
        "acme",
        subject,
        revision,
        Amount.ofRates(demands, cost),
        Queueing.of(SlotMode.OFF),
        FailureMode.DENY);
  }

  private Charge asking(String subject, List<Demand> demands, String shown) {
    TicketRequest ticket = TicketRequest.wanted(
        Optional.of(shown).filter(text -> !text.isEmpty()), "%022d".formatted(secrets++));
    return charge(subject, demands, 1).with(new Queueing(SlotMode.RESERVE, ticket));
  }

  private static Charge month(String subject, long limit, long cost) {
    Quota quota = new Quota(
        "month",
        Scope.KEY,
        limit,
        new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 1),
        false,
        100,
        false,
        false);
    Amount amount = new Amount(List.of(), cost, new Extras(List.of(quota), Optional.empty()));
    return new Charge("acme", subject, 1, amount, Queueing.of(SlotMode.OFF), FailureMode.DENY);
  }

  private void fill(String subject, List<Demand> demands, long cost) {
    assertThat(decide(charge(subject, demands, cost))).isInstanceOf(Allowed.class);
  }

  private long waitOf(Charge charge) {
    return ((Denied) decide(charge)).retryAfterMicros();
  }

  private long remaining(String subject, List<Demand> demands) {
    return peek(charge(subject, demands, 1)).limits().get(0).remaining();
  }

  // A look at a quota that admits the charge shows what it would leave.
  private long left(Charge charge) {
    Decision seen = peek(charge);
    boolean isCounted = !charge.extras().isEmpty() && seen instanceof Allowed;
    return seen.limits().get(0).remaining() + (isCounted ? charge.cost() : 0);
  }

  private Decision peek(Charge charge) {
    return ((Decided) await(store.peek(charge))).decision();
  }

  private Decision decide(Charge charge) {
    return ((Decided) await(store.tryCharge(charge))).decision();
  }

  private List<Decision> together(Charge... charges) {
    return answers(charges).stream()
        .map(answer -> ((Decided) answer).decision())
        .toList();
  }

  private List<StoreAnswer> answers(Charge... charges) {
    return await(store.tryAll(new JointCharge(List.of(charges))));
  }

  private static <T> T await(CompletionStage<T> answer) {
    return answer.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
