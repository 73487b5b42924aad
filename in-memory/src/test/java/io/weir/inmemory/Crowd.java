package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.random.RandomGenerator;

/** Callers of one bucket, on a simulated clock; it judges that the bucket never admits more than it holds. Mutable. */
final class Crowd {
  static final long SECOND = 1_000_000;

  static final Return NEVER = (random, attempt, wait) -> -1;

  final RandomGenerator random;
  final List<Admission> admissions = new ArrayList<>();
  long attempts;
  long estimates;

  /** Returns of callers to which a slot was promised, and how many of them were not admitted. */
  long promisedReturns;

  long brokenPromises;

  private final Bucket bucket;
  private final long cost;
  private final SlotMode mode;
  private final ManualClock clock = new ManualClock();
  private final InMemoryBucketStore store = new InMemoryBucketStore(clock);
  private final PriorityQueue<Visit> visits =
      new PriorityQueue<>(Comparator.comparingLong(Visit::at).thenComparing(Visit::number));
  private final long began = clock.getAsLong();
  private long number;
  private final Map<Owned, LeakyLevel> levels = new HashMap<>();

  /** After which time a caller returns from its so many-eth denial with this wait; below 0 if it never does. */
  @FunctionalInterface
  interface Return {
    long after(RandomGenerator random, int attempt, long waitMicros);
  }

  /**
   * A caller.
   *
   * @param wantsTicket else it waits whole seconds
   * @param againAfter the time after which it asks again when it was admitted; below 0 for never
   * @param demands of its operation; if there are none, one of the crowd's bucket
   */
  record Caller(
      String tenant,
      String key,
      boolean wantsTicket,
      Return returns,
      long againAfter,
      List<Demand> demands) {
    Caller(String key, boolean wantsTicket, Return returns) {
      this("acme", key, wantsTicket, returns, -1, List.of());
    }

    Caller of(String other) {
      return new Caller(other, key, wantsTicket, returns, againAfter, demands);
    }

    Caller again(long after) {
      return new Caller(tenant, key, wantsTicket, returns, after, demands);
    }

    Caller demanding(Demand... other) {
      return new Caller(tenant, key, wantsTicket, returns, againAfter, List.of(other));
    }
  }

  /** A request of a caller: when it was admitted, since the begin, and how long it had to wait. */
  record Admission(Caller caller, long at, long waited, int attempt) {}

  /** A bucket of a key or of a tenant. */
  private record Owned(Bucket bucket, String tenant, Optional<String> key) {
    static Owned by(Caller caller, Bucket bucket) {
      boolean isOfKey = bucket.scope() == Scope.KEY;
      return new Owned(bucket, caller.tenant(), Optional.of(caller.key()).filter(key -> isOfKey));
    }
  }

  private record LeakyLevel(long units, long at) {}

  private record Visit(
      long number,
      long at,
      long born,
      int attempt,
      Caller caller,
      Optional<String> ticket,
      boolean isPromised) {}

  Crowd(Scope scope, long milliOpsPerSec, long burstMillis, SlotMode mode, long seed) {
    this(new Bucket("requests", scope, milliOpsPerSec, burstMillis), 1, mode, seed);
  }

  /** Callers whose requests have this cost. */
  Crowd(Bucket bucket, long cost, SlotMode mode, long seed) {
    this.bucket = bucket;
    this.cost = cost;
    this.mode = mode;
    this.random = new Random(seed);
  }

  /** Returns as it was told, after the time of the network. */
  static Return asTold(long network) {
    return (random, attempt, wait) -> wait + random.nextLong(network);
  }

  /** Returns after whole seconds. */
  static Return wholeSeconds(long network) {
    return (random, attempt, wait) -> inSeconds(wait) + random.nextLong(network);
  }

  static long inSeconds(long micros) {
    return (micros + SECOND - 1) / SECOND * SECOND;
  }

  /** A caller that returns as it is told: with its ticket to the microsecond, else after whole seconds. */
  static Caller polite(String key, boolean wantsTicket) {
    return new Caller(key, wantsTicket, wantsTicket ? asTold(10_000) : wholeSeconds(10_000));
  }

  /** Lets a caller come. */
  void comes(long at, Caller caller) {
    visits.add(new Visit(number++, began + at, began + at, 1, caller, Optional.empty(), false));
  }

  /** Lets so many callers come at once. */
  void herd(int callers, Caller caller) {
    for (int i = 0; i < callers; i++) {
      comes(10L * i, caller);
    }
  }

  /** Lets callers come at random times. */
  void poisson(double perSecond, double from, double until, Caller caller) {
    double at = from;
    while (true) {
      at -= Math.log(1 - random.nextDouble()) / perSecond;
      if (at >= until) {
        return;
      }
      comes((long) (at * SECOND), caller);
    }
  }

  /** Lets callers come at even intervals. */
  void even(double perSecond, double until, Caller caller) {
    for (double at = 0; at < until; at += 1 / perSecond) {
      comes((long) (at * SECOND), caller);
    }
  }

  /** Runs until nobody comes any more, at most so long. */
  Crowd run(long seconds) {
    while (!visits.isEmpty() && visits.element().at() < began + seconds * SECOND) {
      Visit visit = visits.remove();
      clock.advance(visit.at() - clock.getAsLong());
      answer(visit, ask(visit));
    }
    return this;
  }

  private Decided ask(Visit visit) {
    Caller caller = visit.caller();
    TicketRequest ticket = caller.wantsTicket()
        ? TicketRequest.wanted(visit.ticket(), "%022d".formatted(visit.number()))
        : TicketRequest.NONE;
    Charge charge = new Charge(caller.tenant(), caller.key(), 1, demandsOf(caller), cost)
        .with(new Queueing(mode, ticket));
    return (Decided) store.tryCharge(charge).toCompletableFuture().join();
  }

  private void answer(Visit visit, Decided answer) {
    attempts++;
    boolean isDue = visit.isPromised() && answer.report().returned() != Returned.EARLY;
    promisedReturns += isDue ? 1 : 0;
    if (answer.decision() instanceof Denied denied) {
      brokenPromises += isDue ? 1 : 0;
      estimates += denied.estimate() ? 1 : 0;
      returnLater(visit, denied);
    } else {
      admitted(visit);
    }
  }

  private void returnLater(Visit visit, Denied denied) {
    long after = visit.caller().returns().after(random, visit.attempt(), denied.retryAfterMicros());
    if (after >= 0) {
      visits.add(new Visit(
          number++,
          visit.at() + Math.max(1, after),
          visit.born(),
          visit.attempt() + 1,
          visit.caller(),
          denied.ticket(),
          !denied.estimate()));
    }
  }

  private void admitted(Visit visit) {
    long at = visit.at();
    demandsOf(visit.caller()).forEach(demand -> pour(visit.caller(), demand, at));
    admissions.add(new Admission(visit.caller(), at - began, at - visit.born(), visit.attempt()));
    if (visit.caller().againAfter() >= 0) {
      comes(at - began + visit.caller().againAfter(), visit.caller());
    }
  }

  private List<Demand> demandsOf(Caller caller) {
    return caller.demands().isEmpty() ? List.of(Demand.of(bucket)) : caller.demands();
  }

  private void pour(Caller caller, Demand demand, long at) {
    Bucket of = demand.bucket();
    Owned owned = Owned.by(caller, of);
    LeakyLevel was = levels.getOrDefault(owned, new LeakyLevel(0, began));
    long units =
        Math.max(0, was.units() - (at - was.at()) * of.unitsPerMicro()) + demand.units(cost);
    assertThat(units).as(of.name()).isLessThanOrEqualTo(of.capacityUnits());
    levels.put(owned, new LeakyLevel(units, at));
  }

  /** The parts of what drains in these seconds that are admitted then. */
  double used(long from, long until) {
    long count = admissions.stream()
        .filter(one -> one.at() > from * SECOND && one.at() <= until * SECOND)
        .count();
    return cost * count / (perSecond() * (until - from));
  }

  /** The parts of what drains until the last admission that are admitted beyond the first burst. */
  double used() {
    double burst = (double) bucket.capacityUnits() / bucket.unitsPerOperation();
    return (cost * admissions.size() - burst) / (perSecond() * last());
  }

  private double perSecond() {
    return bucket.rate().opsPerSec();
  }

  /** The seconds until the last admission. */
  double last() {
    return admissions.stream().mapToLong(Admission::at).max().orElse(0) / (double) SECOND;
  }

  /** The seconds that requests of keys with this prefix waited at most, but for this part of them. */
  double waited(String prefix, double part) {
    long[] waits = admissions.stream()
        .filter(one -> one.caller().key().startsWith(prefix))
        .mapToLong(Admission::waited)
        .sorted()
        .toArray();
    return waits[Math.min(waits.length - 1, (int) (part * waits.length))] / (double) SECOND;
  }

  /** The number of requests of keys with this prefix that were admitted. */
  long admitted(String prefix) {
    return admissions.stream()
        .filter(one -> one.caller().key().startsWith(prefix))
        .count();
  }

  /** How often such a request asked, on average. */
  double attempts(String prefix) {
    return admissions.stream()
        .filter(one -> one.caller().key().startsWith(prefix))
        .mapToInt(Admission::attempt)
        .average()
        .orElse(0);
  }
}
