package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Decision.Denied;
import io.weir.slot.SlotMode;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * A generated history of one small cluster, in which everything meets everything: slots of each mode, changes of
 * policy, steps of the clock in both directions, buckets of every scope, costs that fit and that never do, tickets that
 * are own, foreign, expired or forged, several charges at once, and pauses. Asks two stores the same and compares each
 * answer. The same seed gives the same history. Mutable; owned by one test.
 */
public final class Scenario {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;
  private static final List<String> TENANTS = List.of("acme", "globex");
  private static final List<String> SUBJECTS = List.of("k1", "k2", "k3");
  private static final int MOST_AT_ONCE = 6;
  private static final int MOST_RETURNS = 60;

  private final long seed;
  private final RandomGenerator random;
  private final ManualClock clock;
  private final BucketStore reference;
  private final BucketStore other;
  private final Executor turn;
  private final List<Return> returns = new ArrayList<>();
  private final Map<String, Long> seen = new TreeMap<>();
  private List<Draw> draws;
  private SlotRules rules;
  private long revision = 1;
  private long number;

  /**
   * @param turn runs a task so that all it asks of {@code other} is asked together
   * @param reference and {@code other}: on this clock, both empty
   */
  public Scenario(
      long seed, ManualClock clock, BucketStore reference, BucketStore other, Executor turn) {
    this.seed = seed;
    this.random = new Random(seed);
    this.clock = clock;
    this.reference = reference;
    this.other = other;
    this.turn = turn;
    this.draws = drawsOfPolicy();
    this.rules = rulesOfPolicy();
  }

  /** Goes so many steps on. */
  public void run(int steps) {
    for (int i = 0; i < steps; i++) {
      if (random.nextInt(400) == 0) {
        draws = drawsOfPolicy();
        rules = rulesOfPolicy();
        revision++;
      }
      if (!returns.isEmpty() && random.nextInt(3) == 0) {
        comeBack(returns.remove(random.nextInt(returns.size())));
      } else {
        clock.advance(pause());
        String tenant = pick(TENANTS);
        String subject = pick(SUBJECTS);
        ask(tenant, subject, charge(tenant, subject));
      }
    }
  }

  /** Somebody who was told to come back. */
  private record Return(Charge charge, Optional<String> ticket, long dueMicros) {}

  // At the time that was told, a little later, or whenever it is now.
  private void comeBack(Return one) {
    long early = Math.min(one.dueMicros() - clock.getAsLong(), 100 * SECOND);
    if (random.nextInt(6) > 0) {
      long late =
          random.nextInt(3) == 0 ? random.nextLong(one.charge().slots().latenessMicros()) : 0;
      clock.advance(Math.max(0, early) + late);
    }
    Charge before = one.charge();
    TicketRequest ticket = one.ticket().isPresent()
        ? TicketRequest.wanted(one.ticket(), id())
        : renewed(before.ticket());
    ask(before.tenant(), before.subject(), with(before, ticket));
  }

  // An id is used once.
  private TicketRequest renewed(TicketRequest before) {
    return before.newId().isEmpty()
        ? before
        : new TicketRequest(before.shown(), id(), before.withinMicros());
  }

  private Charge with(Charge before, TicketRequest ticket) {
    return new Charge(
        before.tenant(), before.subject(), revision, before.draws(), before.cost(), rules, ticket);
  }

  private String id() {
    number++;
    return pick(List.of("id", "-d", "_d")) + "%020d".formatted(number);
  }

  /** What happened, by words such as {@code KEPT}, {@code estimate} or {@code Stale}, and how often. */
  public Map<String, Long> seen() {
    return Map.copyOf(seen);
  }

  // Those at once are of one subject, and take the same lane: only such have an order among each
  // other.
  private void ask(String tenant, String subject, Charge first) {
    List<Charge> charges = new ArrayList<>();
    charges.add(first);
    boolean shows = charges.get(0).ticket().shown().isPresent();
    int most = random.nextInt(3) == 0 ? 1 + random.nextInt(MOST_AT_ONCE) : 1;
    for (int i = 1; i < most; i++) {
      Charge last = charges.get(charges.size() - 1);
      Charge next =
          random.nextBoolean() ? with(last, renewed(last.ticket())) : charge(tenant, subject);
      if (next.ticket().shown().isPresent() == shows) {
        charges.add(next);
      }
    }
    int count = charges.size();
    CompletableFuture<List<CompletionStage<StoreAnswer>>> asked = new CompletableFuture<>();
    turn.execute(() -> asked.complete(charges.stream().map(other::tryCharge).toList()));
    List<CompletionStage<StoreAnswer>> answers = asked.join();
    for (int i = 0; i < count; i++) {
      Charge charge = charges.get(i);
      StoreAnswer expected = reference.tryCharge(charge).toCompletableFuture().join();
      assertThat(answers.get(i).toCompletableFuture().join())
          .describedAs("seed %d, charge %d, number %d of %s", seed, number, i, charges)
          .isEqualTo(expected);
      note(charge, expected);
    }
    if (random.nextInt(20) == 0) {
      Charge charge = charge(tenant, subject);
      assertThat(other.peek(charge).toCompletableFuture().join())
          .describedAs("seed %d, after charge %d, peeking %s", seed, number, charge)
          .isEqualTo(reference.peek(charge).toCompletableFuture().join());
    }
  }

  private void note(Charge charge, StoreAnswer answer) {
    if (!(answer instanceof Decided decided)) {
      count("Stale");
      return;
    }
    count(decided.decision().getClass().getSimpleName());
    count(decided.line().returned().name());
    count(decided.line().made() ? "made" : "not made");
    count(decided.line().lost() > 0 ? "lost" : "not lost");
    if (decided.decision() instanceof Denied denied) {
      count(denied.estimate() ? "estimate" : "slot");
      returns.add(
          new Return(charge, denied.ticket(), clock.getAsLong() + denied.retryAfterMicros()));
      if (returns.size() > MOST_RETURNS) {
        returns.remove(0);
      }
    }
  }

  private void count(String what) {
    seen.merge(what, 1L, Long::sum);
  }

  private Charge charge(String tenant, String subject) {
    int first = random.nextInt(draws.size());
    long asked = revision > 1 && random.nextInt(300) == 0 ? revision - 1 : revision;
    return new Charge(
        tenant, subject, asked, draws.subList(first, draws.size()), cost(), rules, ticket());
  }

  private long cost() {
    return switch (random.nextInt(30)) {
      case 0 -> 1 + random.nextInt(1000);
      case 1 -> Long.MAX_VALUE >> random.nextInt(30);
      default -> 1 + random.nextInt(3) * random.nextInt(2);
    };
  }

  private TicketRequest ticket() {
    String id = id();
    Optional<String> shown =
        returns.isEmpty() ? Optional.empty() : pick(returns).ticket();
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> TicketRequest.NONE;
      case 3, 7, 8 -> TicketRequest.wanted(Optional.empty(), id);
      case 4 -> new TicketRequest(Optional.empty(), id, random.nextLong(2 * SECOND));
      case 5 -> TicketRequest.wanted(Optional.of("9".repeat(16) + "." + "x".repeat(22)), id);
      case 6 -> TicketRequest.wanted(shown.map(text -> text.substring(0, 17) + "y".repeat(22)), id);
      default -> TicketRequest.wanted(shown, id);
    };
  }

  // To nowhere, a little further, far away, or back.
  private long pause() {
    return switch (random.nextInt(24)) {
      case 0, 1, 2 -> random.nextLong(SECOND / 5);
      case 3 -> random.nextLong(3 * SECOND);
      case 4 -> random.nextInt(20) == 0 ? random.nextLong(2 * HOUR) : 1;
      case 5 -> random.nextInt(8) == 0 ? -random.nextLong(SECOND) : 0;
      case 6 -> random.nextInt(100) == 0 ? -random.nextLong(HOUR) : 0;
      case 7, 8, 9, 10, 11 -> random.nextLong(2000);
      default -> 0;
    };
  }

  private SlotRules rulesOfPolicy() {
    SlotMode mode = random.nextInt(4) > 0 ? SlotMode.RESERVE : pick(List.of(SlotMode.values()));
    return new SlotRules(
        mode,
        1000 + random.nextLong(SECOND),
        1 + random.nextInt(60),
        SECOND * (1 + random.nextInt(100)));
  }

  // One to three buckets, always of the same names, so that a change of policy finds something to
  // carry.
  private List<Draw> drawsOfPolicy() {
    List<Draw> made = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      made.add(draw("bucket-" + i));
    }
    return List.copyOf(made);
  }

  private Draw draw(String name) {
    Scope scope =
        pick(List.of(Scope.KEY, Scope.KEY, Scope.KEY, Scope.TENANT, Scope.TENANT, Scope.CLUSTER));
    // Odd rates on purpose: whole ones hide every rounding.
    long rate =
        random.nextInt(4) == 0 ? 1 + random.nextInt(300_000_000) : 500 + random.nextInt(30_000);
    long units = Bucket.UNITS_PER_OPERATION * (1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 2));
    long smallest = units / (rate * 1000) + 1;
    long burst = random.nextInt(3) == 0
        ? Math.max(1000 + random.nextInt(50), smallest)
        : smallest * (1 + random.nextInt(20));
    return new Draw(
        new Bucket(name, scope, rate, Math.min(Bucket.MAX_PRECISION / rate, burst)), units);
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
