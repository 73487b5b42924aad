package io.weir.inmemory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * A random history of callers over up to three buckets, with steps of the clock, changes of the policy and replayed
 * tickets. After each step it judges the rules that keep the promises. Mutable.
 */
final class SlotHistory {
  private static final long SECOND = 1_000_000;
  private static final Rate HUGE = new Rate(8_999_999_999L, 499_999_999_999_979L);

  long ticketsInTime;
  long replays;
  long admitted;
  long places;
  long placesWithoutTicket;

  private final long seed;
  private final RandomGenerator random;
  private final Memory memory = new Memory();
  private final Map<Scope, Bucket> policy = new EnumMap<>(Scope.class);
  private final List<Operation> operations = new ArrayList<>();
  private final PriorityQueue<Visit> open =
      new PriorityQueue<>(Comparator.comparingLong(Visit::at));
  private final List<Visit> shown = new ArrayList<>();
  private final long gap;
  private long now;
  private long step;
  private long revision = 1;

  /** By bucket, how often its policy was changed or the clock went far back: that voids promises. */
  private final Map<Scope, Long> breaks = new EnumMap<>(Scope.class);

  private final Set<String> used = new HashSet<>();

  /** The slots that were promised, by owner and bucket. */
  private final Map<String, TreeSet<Long>> slots = new HashMap<>();

  private record Operation(List<Part> parts) {}

  /** @param halves of an operation of the bucket that one operation takes */
  private record Part(Scope scope, int halves, boolean perRequest) {}

  /** @param answered what was promised with its ticket */
  private record Visit(
      long at,
      String tenant,
      String key,
      Operation operation,
      long cost,
      Optional<String> ticket,
      Answered answered) {}

  /** @param breaks of its buckets before */
  private record Answered(
      boolean isPlace, long slot, long until, long breaks, List<Demand> demands) {
    static final Answered NOTHING = new Answered(false, 0, 0, 0, List.of());
  }

  SlotHistory(long seed) {
    this.seed = seed;
    this.random = new Random(seed);
    this.now = 4_000_000_000_000_000L + random.nextLong(1_000_000_000);
    long least = Long.MAX_VALUE;
    for (Scope scope : Scope.values()) {
      Bucket bucket = bucket(scope);
      policy.put(scope, bucket);
      least = Math.min(least, bucket.rate().microsPerOperation());
    }
    double often = one(0.05, 0.3, 1.0, 3.0);
    this.gap = Math.max(1, Math.min(5 * SECOND, (long) (least * often)));
    operations.add(operation());
    operations.add(operation());
  }

  @SafeVarargs
  private final <T> T one(T... of) {
    return of[random.nextInt(of.length)];
  }

  private boolean isOneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private Bucket bucket(Scope scope) {
    if (isOneIn(8)) {
      return new Bucket(name(scope), scope, HUGE, one(200L, 1000L));
    }
    long milliOps = one(17L, 1000L, 10_000L, 33_333L, 100_000L, 100_000_000L);
    long operationMillis = (1_000_000 + milliOps - 1) / milliOps;
    long burst = random.nextInt(5) < 3
        ? one(1, 2, 3, 10, 50, 1000) * operationMillis
        : one(1L, 2L, 50L, 200L, 500L, 1000L, 3000L, 60_000L);
    return new Bucket(name(scope), scope, milliOps, Math.max(operationMillis, burst));
  }

  private static String name(Scope scope) {
    return "of-" + scope.name();
  }

  private Operation operation() {
    List<Scope> scopes = one(
        List.of(Scope.KEY),
        List.of(Scope.TENANT),
        List.of(Scope.CLUSTER),
        List.of(Scope.KEY, Scope.TENANT),
        List.of(Scope.KEY, Scope.CLUSTER),
        List.of(Scope.TENANT, Scope.CLUSTER),
        List.of(Scope.KEY, Scope.TENANT, Scope.CLUSTER));
    return new Operation(scopes.stream()
        .map(scope -> new Part(scope, one(1, 2, 2, 2, 3, 6), isOneIn(12)))
        .toList());
  }

  private List<Demand> demands(Operation operation) {
    return operation.parts().stream().map(this::demand).toList();
  }

  private Demand demand(Part part) {
    Bucket bucket = bucketOf(part.scope());
    long units = Math.max(1, bucket.unitsPerOperation() * part.halves() / 2);
    return new Demand(bucket, Math.min(bucket.capacityUnits(), units), part.perRequest(), false);
  }

  private Bucket bucketOf(Scope scope) {
    return requireNonNull(policy.get(scope));
  }

  SlotHistory run(int steps) {
    for (int i = 0; i < steps; i++) {
      step++;
      moveClock();
      play(next());
    }
    return this;
  }

  private void moveClock() {
    int chance = random.nextInt(10_000);
    if (chance < 8) {
      long back = one(1000L, 100_000L, SECOND, 30 * SECOND, 3600 * SECOND);
      now -= back;
      if (back > 1000) {
        policy.keySet().forEach(this::breaks);
      }
    } else if (chance < 12) {
      now += one(SECOND, 30 * SECOND, 3600 * SECOND);
    } else if (chance < 60) {
      changePolicy();
    } else {
      now += 1 + (long) (-Math.log(1 - random.nextDouble()) * gap);
    }
  }

  private void breaks(Scope scope) {
    breaks.merge(scope, 1L, Long::sum);
  }

  private long breaks(Operation operation) {
    return operation.parts().stream()
        .mapToLong(part -> breaks.getOrDefault(part.scope(), 0L))
        .sum();
  }

  private void changePolicy() {
    Scope scope = one(Scope.values());
    Bucket old = bucketOf(scope);
    long burst = Math.max(1, old.burstMillis() * one(1, 3) / 2);
    boolean isCountable = burst * old.unitsPerMicro() <= Bucket.MAX_PRECISION
        && burst * 1000 * old.unitsPerMicro() >= old.unitsPerOperation();
    policy.put(
        scope,
        isCountable && isOneIn(2)
            ? new Bucket(name(scope), scope, old.rate(), burst)
            : bucket(scope));
    breaks(scope);
    revision++;
  }

  private Visit next() {
    if (!open.isEmpty() && random.nextInt(10) < 6) {
      if (open.element().at() <= now || isOneIn(2)) {
        Visit visit = open.remove();
        now = Math.max(now, visit.at());
        return visit;
      }
      if (isOneIn(5)) {
        return open.remove();
      }
    } else if (!shown.isEmpty() && isOneIn(10)) {
      replays++;
      return shown.get(random.nextInt(shown.size()));
    }
    long cost = one(1L, 1L, 1L, 1L, 2L, 3L, 1L + random.nextInt(30));
    return new Visit(
        now,
        one("x", "y"),
        one("1", "2", "3"),
        one(operations.get(0), operations.get(1)),
        cost,
        Optional.empty(),
        Answered.NOTHING);
  }

  private void play(Visit visit) {
    List<Demand> demands = demands(visit.operation());
    boolean wants = visit.ticket().isPresent() || random.nextInt(10) < 6;
    TicketRequest ticket =
        wants ? TicketRequest.wanted(visit.ticket(), "%022d".formatted(step)) : TicketRequest.NONE;
    Charge charge = new Charge(visit.tenant(), visit.key(), revision, demands, visit.cost())
        .with(new Queueing(SlotMode.RESERVE, ticket));
    boolean isInTime = isInTime(visit, demands);
    Decided answer = decide(charge);
    if (isInTime) {
      ticketsInTime++;
      assertThat(answer.decision())
          .describedAs("a ticket in time: seed %d, step %d, %s", seed, step, answer)
          .isInstanceOf(Allowed.class);
    }
    remember(charge, answer);
    judge(charge);
    worksOnce(visit, answer);
    admitted += answer.decision() instanceof Allowed ? 1 : 0;
    if (answer.decision() instanceof Denied denied) {
      denied(visit, demands, denied, answer);
    }
    if (visit.ticket().isPresent()) {
      shown.add(visit);
      shown.subList(0, Math.max(0, shown.size() - 20)).clear();
    }
  }

  private void remember(Charge charge, Decided answer) {
    if (answer.report().made() && answer.decision() instanceof Denied denied) {
      for (Demand demand : charge.demands()) {
        String place = place(charge.tenant(), charge.subject(), demand.bucket());
        slots.computeIfAbsent(place, name -> new TreeSet<>()).add(now + denied.retryAfterMicros());
      }
    }
  }

  private void worksOnce(Visit visit, Decided answer) {
    Returned returned = answer.report().returned();
    if (visit.ticket().isPresent() && (returned == Returned.KEPT || returned == Returned.BROKEN)) {
      assertThat(used.add(visit.ticket().get()))
          .describedAs("a ticket used twice: seed %d, step %d", seed, step)
          .isTrue();
    }
  }

  private Decided decide(Charge charge) {
    RatesDecision decision = new RatesDecision(
        new Look(charge, memory, now), charge, new Payers(charge.demands(), 0), charge.cost());
    return decision.isNever() ? decision.never() : decision.decide();
  }

  // Whether a place is held for it in all its buckets, and nothing has voided that.
  private boolean isInTime(Visit visit, List<Demand> demands) {
    Answered answered = visit.answered();
    boolean isFirst = shown.stream().noneMatch(one -> one.ticket().equals(visit.ticket()));
    if (!answered.isPlace()
        || !isFirst
        || now < answered.slot()
        || answered.breaks() != breaks(visit.operation())) {
      return false;
    }
    boolean isShared = visit.ticket().map(Ticket::parse).orElseThrow().isShared();
    return now <= answered.until()
        && demands.equals(answered.demands())
        && (isShared || demands.stream().allMatch(demand -> demand.bucket().scope() == Scope.KEY));
  }

  // The least time for which a place is kept.
  private long inTimeMicros(Visit visit, List<Demand> demands) {
    long least = Long.MAX_VALUE;
    for (Demand demand : demands) {
      Bucket bucket = demand.bucket();
      Calendar calendar = state(visit.tenant(), visit.key(), bucket.scope()).calendar(bucket);
      least = calendar == null ? least : Math.min(least, (calendar.lives - 1) * calendar.width);
    }
    return least;
  }

  private void denied(Visit visit, List<Demand> demands, Denied denied, Decided answer) {
    assertThat(denied.retryAfterMicros()).isPositive();
    boolean isEarly = answer.report().returned() == Returned.EARLY;
    places += answer.report().made() ? 1 : 0;
    placesWithoutTicket += answer.report().made() && denied.ticket().isEmpty() ? 1 : 0;
    if (denied.ticket().isEmpty() || isOneIn(7) || open.size() >= 300) {
      return;
    }
    long slot = now + denied.retryAfterMicros();
    Answered answered = isEarly
        ? visit.answered()
        : new Answered(
            !denied.estimate(),
            slot,
            slot + inTimeMicros(visit, demands),
            breaks(visit.operation()),
            demands);
    open.add(new Visit(
        slot + late(demands),
        visit.tenant(),
        visit.key(),
        visit.operation(),
        visit.cost(),
        denied.ticket(),
        answered));
  }

  private long late(List<Demand> demands) {
    if (isOneIn(10)) {
      return random.nextLong(5 * SECOND);
    }
    long burst =
        demands.stream().mapToLong(one -> one.bucket().burstMillis()).min().orElse(1);
    return isOneIn(4) ? 0 : random.nextLong(1 + Math.min(500_000, burst * 1000 / 4));
  }

  private State state(String tenant, String key, Scope scope) {
    return memory.state(Memory.owner(tenant, key, scope)).at(now);
  }

  private void judge(Charge charge) {
    for (Demand demand : charge.demands()) {
      Bucket bucket = demand.bucket();
      State state = state(charge.tenant(), charge.subject(), bucket.scope());
      long level = state.bucket(bucket, now).usedUnits();
      assertThat(level)
          .describedAs("the level: seed %d, step %d", seed, step)
          .isLessThanOrEqualTo(bucket.capacityUnits());
      Calendar calendar = state.calendar(bucket);
      if (calendar != null) {
        isRoundedForThePromise(demand.units(charge.cost()), bucket, calendar);
        isPayable(place(charge.tenant(), charge.subject(), bucket), bucket, calendar, level);
        isStorable(bucket, calendar);
        assertThat(calendar.end() - calendar.base()).isLessThanOrEqualTo(3 * calendar.bins.most());
      }
    }
  }

  private static void isRoundedForThePromise(long units, Bucket bucket, Calendar calendar) {
    assertThat(calendar.units(calendar.quanta(units))).isGreaterThanOrEqualTo(units);
    assertThat(calendar.units(calendar.room(0))).isLessThanOrEqualTo(bucket.capacityUnits());
    assertThat(calendar.units(calendar.step()))
        .isLessThanOrEqualTo(bucket.unitsPerMicro() * calendar.width);
  }

  // A cost of the whole capacity is rounded up, too.
  private static long capacity(Bucket bucket, Calendar calendar) {
    return calendar.units(calendar.quanta(bucket.capacityUnits()));
  }

  // All that is due until a bin can be paid when the bin begins, or at its latest slot: a place
  // that is alone may be at
  // the exact wait.
  private void isPayable(String place, Bucket bucket, Calendar calendar, long level) {
    long due = 0;
    for (long bin = calendar.base(); bin < calendar.end(); bin++) {
      due += calendar.units(calendar.dueIn(bin));
      long from = Math.max(bin * calendar.width, latestIn(place, calendar.startOf(bin), calendar));
      long drained = Math.max(0, from - now) * bucket.unitsPerMicro();
      assertThat(calendar.dueIn(bin)).isNotNegative();
      if (bin >= now / calendar.width) {
        assertThat(level + due)
            .describedAs("payable in bin %d: seed %d, step %d", bin, seed, step)
            .isLessThanOrEqualTo(capacity(bucket, calendar) + drained);
      }
    }
  }

  private static String place(String tenant, String key, Bucket bucket) {
    return Memory.owner(tenant, key, bucket.scope()) + " " + bucket.name();
  }

  private long latestIn(String place, long begin, Calendar calendar) {
    Long latest = slots.getOrDefault(place, new TreeSet<>()).lower(begin + calendar.width);
    return latest == null ? 0 : latest;
  }

  // The bucket can store all that is due in any bins in a row.
  private void isStorable(Bucket bucket, Calendar calendar) {
    long inBin = bucket.unitsPerMicro() * calendar.width;
    for (long first = calendar.base(); first < calendar.end(); first++) {
      long due = 0;
      for (long bin = first; bin < calendar.end(); bin++) {
        due += calendar.units(calendar.dueIn(bin));
        if (due > capacity(bucket, calendar) + inBin * Math.max(0, bin - first - calendar.lives)) {
          throw new AssertionError(
              "not storable in bins %d to %d: seed %d, step %d".formatted(first, bin, seed, step));
        }
      }
    }
  }
}
