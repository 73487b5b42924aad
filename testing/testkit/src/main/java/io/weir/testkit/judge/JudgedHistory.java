package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Extras;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A random history of a small cluster, each of whose answers a {@link Judge} judges: rates of every size, quotas,
 * permits and reservations, callers that return with and without tickets, steps of the clock, changes of the policy and
 * restarts. Where several stores play it, their answers must be equal. Mutable; owned by one test.
 */
public final class JudgedHistory {
  private static final long SECOND = 1_000_000;
  private static final int MOST_OPEN = 40;
  private static final int MOST_AT_ONCE = 20;

  private final Random random;
  private final ManualClock clock;
  private final Cluster cluster;
  private final Judge judge;
  private final JudgedPolicy policy;
  private final JudgedCharges charges;
  private final Callers<Caller> waiting;
  private final List<Charge> open = new ArrayList<>();
  private final Story story;
  private final Optional<JointSteps> joint;
  private List<Stores> stores;

  private record Caller(Charge charge, Optional<String> ticket) {}

  /** Starts the stores that play a history. */
  @FunctionalInterface
  public interface Cluster {
    /** Starts them, with the state that they had or with none. */
    List<Stores> start(boolean keepsState);
  }

  /**
   * A history of rates, quotas, permits and reservations.
   *
   * @param clock of the stores
   */
  public static JudgedHistory ofPlain(long seed, ManualClock clock, Cluster cluster) {
    return new JudgedHistory(seed, clock, cluster, UnaryOperator.identity(), Optional.empty());
  }

  /** A history with overflow, prices, congestion, partial grants and repeated reservations, too. */
  public static JudgedHistory ofMixed(long seed, ManualClock clock, Cluster cluster) {
    return new JudgedHistory(
        seed, clock, cluster, new MixedCharges(new Random(~seed))::with, Optional.empty());
  }

  /**
   * A plain history with charges that are decided as one, and with refunds and debts without a reservation.
   *
   * @param calls to the stores of the cluster
   */
  public static JudgedHistory ofJoint(
      long seed, ManualClock clock, Cluster cluster, SharedCalls calls) {
    return new JudgedHistory(seed, clock, cluster, UnaryOperator.identity(), Optional.of(calls));
  }

  /** The same with overflow, prices, congestion and partial grants, of charges alone and of those decided as one. */
  public static JudgedHistory ofMixedJoint(
      long seed, ManualClock clock, Cluster cluster, SharedCalls calls) {
    return new JudgedHistory(
        seed, clock, cluster, MixedCharges.ofKeys(new Random(~seed))::with, Optional.of(calls));
  }

  private JudgedHistory(
      long seed,
      ManualClock clock,
      Cluster cluster,
      UnaryOperator<Charge> more,
      Optional<SharedCalls> calls) {
    this.story = new Story(seed, clock);
    this.random = new Random(seed);
    this.clock = clock;
    this.cluster = cluster;
    this.judge = new Judge(clock);
    this.policy = new JudgedPolicy(random);
    this.charges = new JudgedCharges(random, policy, more);
    this.joint = calls.map(it -> new JointSteps(random, clock, it, charges, judge, story));
    this.waiting = new Callers<>(random, clock);
    clock.advance(random.nextLong(1_000_000_000));
    this.stores = cluster.start(false);
  }

  /** Plays so many steps; a failure shows the last of them. */
  public JudgedHistory run(int steps) {
    try {
      for (int i = 0; i < steps; i++) {
        story.nextStep();
        next();
      }
      return this;
    } catch (AssertionError e) {
      throw story.of(e);
    }
  }

  /** How many tickets were shown in time. */
  public long ticketsInTime() {
    return judge.ticketsInTime();
  }

  /** How many charges were granted a part. */
  public long parts() {
    return judge.parts();
  }

  private void next() {
    switch (random.nextInt(300)) {
      case 0, 1 -> changePolicy();
      case 2 -> setClockBack();
      case 3 -> move("clock set forward", one(SECOND, 60 * SECOND, 7200 * SECOND));
      case 4 -> restart(true);
      case 5 -> restart(random.nextInt(3) > 0);
      default -> {
        if (!joint.map(JointSteps::next).orElse(false)) {
          call();
        }
      }
    }
  }

  private void move(String text, long stepMicros) {
    clock.advance(stepMicros);
    story.note(() -> text);
  }

  private void setClockBack() {
    long back = one(1L, 700L, SlotRules.KEPT_WHEN_SET_BACK, SECOND, 3600 * SECOND);
    judge.setBack(back);
    move("clock set back", -back);
  }

  private void restart(boolean keepsState) {
    story.note(() -> "restart, keeps state: " + keepsState);
    stores = cluster.start(keepsState);
    if (!keepsState) {
      judge.forget();
      open.clear();
      waiting.forget();
    }
  }

  private void changePolicy() {
    policy.change();
    waiting.forget();
    joint.ifPresent(JointSteps::forget);
    judge.endPlaces();
    String text = "policy " + policy;
    story.note(() -> text);
  }

  private void call() {
    int dice = random.nextInt(40);
    if (dice < 4 && !open.isEmpty()) {
      end(open.remove(random.nextInt(open.size())));
    } else if (dice < 6 && !open.isEmpty()) {
      renew(one(open));
    } else if (dice == 6) {
      judge.expired(ask(() -> "expire", store -> store.holds().expire()));
    } else if (dice == 7) {
      crowd(charges.newcomer(), charges.newcomer().amount());
    } else {
      charge(joint.flatMap(JointSteps::one).or(this::returning).orElseGet(charges::newcomer));
    }
  }

  // Many callers of one key at one instant, with two kinds of request.
  private void crowd(Charge one, Amount other) {
    boolean haveTickets = random.nextBoolean();
    for (int left = random.nextInt(MOST_AT_ONCE); left >= 0; left--) {
      Amount amount = random.nextInt(4) > 0 ? one.amount() : other;
      Queueing queueing = haveTickets
          ? charges.queueing(Optional.empty())
          : new Queueing(SlotMode.RESERVE, TicketRequest.NONE);
      charge(one.with(amount.withExtras(Extras.NONE)).with(queueing));
    }
  }

  private void renew(Charge charge) {
    Held held = held(charge);
    judge.renewed(
        charge,
        ask(() -> "renew " + held.id(), store -> store.holds().renew(List.of(held)))
            .get(0));
  }

  private void end(Charge charge) {
    end(
        charge,
        random.nextInt(4) == 0
            ? new Ending.Cancelled()
            : new Ending.Settled(random.nextLong(charge.cost() + 4) - 1));
    if (random.nextInt(6) == 0) {
      end(charge, new Ending.Cancelled());
    }
  }

  private void end(Charge charge, Ending ending) {
    Held held = held(charge);
    Ended ended =
        ask(() -> "end " + held.id() + " " + ending, store -> store.holds().end(held, ending));
    judge.ended(charge, ending, ended);
  }

  private static Held held(Charge charge) {
    return Held.of(charge, charge.extras().hold().orElseThrow());
  }

  private void charge(Charge charge) {
    Decided decided =
        (Decided) ask(() -> Story.text(charge), store -> store.buckets().tryCharge(charge));
    judge.answered(charge, decided);
    if (decided.isRepeated()) {
      return;
    } else if (decided.decision() instanceof Allowed) {
      charge.extras().hold().ifPresent(hold -> open.add(charge));
      if (open.size() > MOST_OPEN) {
        open.remove(random.nextInt(MOST_OPEN)); // its node has died
      }
    } else if (decided.decision() instanceof Denied denied) {
      waiting.add(new Caller(charge, denied.ticket()), denied.retryAfterMicros());
    }
  }

  private Optional<Charge> returning() {
    return waiting.next().map(caller -> caller.charge().with(charges.queueing(caller.ticket())));
  }

  private <T> T ask(Supplier<String> text, Function<Stores, CompletionStage<T>> call) {
    T first = answer(stores.get(0), call);
    story.note(() -> text.get() + "\n  -> " + Story.text(first));
    for (Stores other : stores.subList(1, stores.size())) {
      T answer = answer(other, call);
      require(answer.equals(first), "another answer:", answer);
    }
    return first;
  }

  private static <T> T answer(Stores store, Function<Stores, CompletionStage<T>> call) {
    return call.apply(store).toCompletableFuture().join();
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @SafeVarargs
  private final <T> T one(T... of) {
    return of[random.nextInt(of.length)];
  }
}
