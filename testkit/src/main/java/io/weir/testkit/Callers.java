package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Decision;
import io.weir.decision.Decision.Allowed;
import io.weir.decision.Decision.Denied;
import io.weir.slot.QueueReport.Returned;
import io.weir.slot.SlotMode;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * A generated crowd before a throttle: callers that come back in time, too early, too late, again and again or
 * never. Asks every store the same, and compares. Mutable; owned by one test.
 */
public final class Callers {
  private static final long SECOND = 1_000_000;
  private static final List<String> SUBJECTS = List.of("k1", "k2");

  private final RandomGenerator random;
  private final ManualClock clock;
  private final List<BucketStore> stores;
  private final PlainBuckets judge = new PlainBuckets();
  private final PriorityQueue<Visit> visits =
      new PriorityQueue<>(Comparator.comparingLong(Visit::atMicros).thenComparing(Visit::number));
  private final List<Draw> draws;
  private final SlotRules rules;
  private final long seed;
  private long number;

  private long attempts;
  private long kept;
  private long broken;
  private long lost;
  private long made;

  /**
   * @param buckets how many buckets a request draws from, 1 to 3
   * @param stores on this clock, all empty
   */
  public Callers(long seed, int buckets, ManualClock clock, List<BucketStore> stores) {
    this.seed = seed;
    this.random = new Random(seed);
    this.clock = clock;
    this.stores = List.copyOf(stores);
    List<Draw> made = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      made.add(draw("bucket-" + i, random.nextInt(3) == 0 ? Scope.TENANT : Scope.KEY));
    }
    this.draws = List.copyOf(made);
    this.rules = new SlotRules(
        SlotMode.RESERVE,
        random.nextLong(SECOND) + 1000,
        1 + random.nextInt(300),
        SECOND * (1L + random.nextInt(100)));
  }

  /** Lets a crowd come, until so many have asked. */
  public void ask(int howOften) {
    long at = clock.getAsLong();
    while (attempts < howOften) {
      if (visits.isEmpty()) {
        at = Math.max(at, clock.getAsLong());
        int crowd = 1 + random.nextInt(60);
        for (int i = 0; i < crowd; i++) {
          visits.add(newcomer(at + random.nextLong(SECOND / 10)));
        }
      }
      visit(visits.remove());
    }
  }

  public long attempts() {
    return attempts;
  }

  /** How many came in time and were admitted. */
  public long kept() {
    return kept;
  }

  /** How many came in time and were not. */
  public long broken() {
    return broken;
  }

  public long lost() {
    return lost;
  }

  public long made() {
    return made;
  }

  private void visit(Visit visit) {
    clock.advance(Math.max(0, visit.atMicros() - clock.getAsLong()));
    attempts++;
    Charge charge = new Charge(
        "acme",
        visit.subject(),
        1,
        draws.subList(visit.firstDraw(), draws.size()),
        visit.cost(),
        rules,
        visit.ticketed()
            ? TicketRequest.wanted(visit.ticket(), "id%020d".formatted(number++))
            : TicketRequest.NONE);
    Decided decided = answer(charge, visit);
    Decision decision = decided.decision();
    kept += decided.line().returned() == Returned.KEPT ? 1 : 0;
    broken += decided.line().returned() == Returned.BROKEN ? 1 : 0;
    lost += decided.line().lost();
    made += decided.line().made() ? 1 : 0;
    if (decision instanceof Allowed) {
      for (Draw draw : charge.draws()) {
        String owner = draw.bucket().scope() == Scope.KEY ? visit.subject() : "acme";
        judge.admitted(owner, draw, visit.cost(), clock.passedMicros());
      }
    } else if (decision instanceof Denied denied) {
      again(visit, denied);
    }
  }

  private Decided answer(Charge charge, Visit visit) {
    StoreAnswer first = stores.get(0).tryCharge(charge).toCompletableFuture().join();
    for (BucketStore other : stores.subList(1, stores.size())) {
      assertThat(other.tryCharge(charge).toCompletableFuture().join())
          .describedAs("seed %d, attempt %d, %s, %s", seed, attempts, visit, charge)
          .isEqualTo(first);
    }
    return (Decided) first;
  }

  private void again(Visit visit, Denied denied) {
    long now = clock.getAsLong();
    long slot = now + denied.retryAfterMicros();
    long due = visit.ticketed() || denied.estimate() ? slot : wholeSecond(now, slot);
    long latest = denied.ticket().map(t -> Long.parseLong(t.substring(0, 16))).orElse(due);
    long at = switch (random.nextInt(10)) {
      case 0 -> -1; // never
      case 1 -> now + random.nextLong(Math.max(1, due - now)); // too early
      case 2 -> latest + 1 + random.nextLong(SECOND); // too late
      case 3, 4 -> due + random.nextLong(Math.max(1, latest - due + 1)); // in time
      default -> due;
    };
    if (at >= 0) {
      visits.add(new Visit(
          at,
          visit.subject(),
          visit.firstDraw(),
          visit.cost(),
          visit.ticketed(),
          denied.ticket(),
          number++));
    }
    if (random.nextInt(3) == 0) {
      visits.add(newcomer(now + random.nextLong(SECOND)));
    }
  }

  private static long wholeSecond(long now, long slot) {
    return now + (slot - now + SECOND - 1) / SECOND * SECOND;
  }

  private Visit newcomer(long at) {
    return new Visit(
        at,
        SUBJECTS.get(random.nextInt(SUBJECTS.size())),
        random.nextInt(draws.size()),
        1L + (long) random.nextInt(3) * random.nextInt(3),
        random.nextInt(4) > 0,
        Optional.empty(),
        number++);
  }

  private Draw draw(String name, Scope scope) {
    long rate = 500L + random.nextInt(300_000);
    long operations = 1L + random.nextInt(100);
    long units = Bucket.UNITS_PER_OPERATION;
    // Bursts of about a second are usual, and the hardest for callers that come at whole seconds.
    long burst = random.nextInt(4) == 0
        ? Math.max(1000 + random.nextInt(50), units / (rate * 1000) + 1)
        : operations * units / (rate * 1000) + 1;
    return new Draw(new Bucket(name, scope, rate, burst), units);
  }

  /** Somebody who comes. */
  private record Visit(
      long atMicros,
      String subject,
      int firstDraw,
      long cost,
      boolean ticketed,
      Optional<String> ticket,
      long number) {}
}
