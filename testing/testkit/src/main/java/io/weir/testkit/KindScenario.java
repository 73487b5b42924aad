package io.weir.testkit;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Periods;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.StoreAnswer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Adds all kinds of demand to a history of rates: quotas, permits, congestion, overflow and reservations that are
 * settled, cancelled, renewed and forgotten, also twice or too late. Mutable; owned by one test.
 */
public final class KindScenario {
  private static final long SECOND = 1_000_000;
  private static final int MOST_OPEN = 40;
  private static final List<String> ZONES =
      List.of("UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata");

  private final Scenario rates;
  private final RandomGenerator random;
  private final List<Held> open = new ArrayList<>();
  private final Map<List<Demand>, List<Demand>> overflowing = new HashMap<>();
  private final List<Scope> scopes;
  private List<KindDemand> kinds = List.of();
  private long revision;
  private long ids;

  /** @param scopes of the limits other than rates */
  public KindScenario(Scenario rates, List<Scope> scopes) {
    this.rates = rates;
    this.random = new Random(rates.seed());
    this.scopes = List.copyOf(scopes);
  }

  /** The next step of a history: charges, or a change of holds. */
  public sealed interface Step {
    /** Makes charges at once. */
    record Ask(long advanceMicros, List<Charge> charges) implements Step {}

    /** A hold ends. */
    record End(Held held, Ending ending) implements Step {}

    /** A hold is renewed. */
    record Renew(Held held) implements Step {}

    /** Ends the reservations whose time is over. */
    record Expire() implements Step {}
  }

  /** The seed of the history, for the message of a failed test. */
  public long seed() {
    return rates.seed();
  }

  /** Returns the next step. */
  public Step next() {
    return switch (open.isEmpty() ? 9 : random.nextInt(10)) {
      case 0, 1 -> new Step.End(pick(open), ending());
      case 2 -> new Step.Renew(pick(open));
      case 3 -> new Step.Expire();
      default -> ask();
    };
  }

  /** Records the answer to a charge. */
  public void answered(Charge charge, StoreAnswer answer) {
    rates.answered(charge, answer);
    boolean isAllowed =
        answer instanceof StoreAnswer.Decided decided && decided.decision() instanceof Allowed;
    charge.extras().hold().filter(hold -> isAllowed).ifPresent(hold -> {
      open.add(Held.of(charge, hold));
      if (open.size() > MOST_OPEN) {
        open.remove(random.nextInt(MOST_OPEN));
      }
    });
  }

  private Step ask() {
    Scenario.Step step = rates.next();
    if (step.charges().get(0).revision() > revision) {
      revision = step.charges().get(0).revision();
      kinds = kindsOfPolicy(step.charges().get(0).demands());
    }
    if (random.nextInt(4) == 0) {
      return new Step.Ask(
          step.advanceMicros(), step.charges().stream().map(this::plain).toList());
    }
    if (random.nextInt(8) == 0) {
      return new Step.Ask(
          step.advanceMicros(), List.of(partial(plain(step.charges().get(0)))));
    }
    // A charge that moves between lanes may be overtaken by charges that share no bucket with it.
    List<Demand> demands = step.charges().get(0).demands();
    List<Charge> charges = step.charges().stream()
        .filter(charge -> charge.demands().equals(demands))
        .map(this::mixed)
        .map(charge -> random.nextInt(4) == 0 ? partial(charge) : charge)
        .toList();
    return new Step.Ask(step.advanceMicros(), charges);
  }

  private Charge plain(Charge charge) {
    List<Demand> demands = charge.demands().stream()
        .map(demand -> new Demand(demand.bucket(), demand.unitsPerOperation()))
        .toList();
    return charge.with(Amount.ofRates(demands, charge.cost()));
  }

  // It wants more, and accepts less.
  private Charge partial(Charge charge) {
    long most = charge.cost() > Long.MAX_VALUE / 4 ? charge.cost() : charge.cost() * 3 + 1;
    return charge.with(charge.amount().costing(new Cost(most, 1 + random.nextLong(most))));
  }

  private boolean isOfPolicy(Charge charge) {
    List<Bucket> buckets = rates.demands.stream().map(Demand::bucket).toList();
    return charge.demands().stream().map(Demand::bucket).allMatch(buckets::contains);
  }

  // A bucket has one shape in a policy: a bucket of an older policy is charged alone.
  private Charge mixed(Charge charge) {
    Charge base = isOfPolicy(charge) ? charge : plain(charge);
    Charge asked = isOfPolicy(charge) && random.nextInt(3) == 0
        ? base.with(base.amount()
            .withDemands(overflowing.computeIfAbsent(base.demands(), this::overflowing)))
        : base;
    List<KindDemand> some = subsets().get(random.nextInt(3));
    boolean needsHold = some.stream().anyMatch(Permits.class::isInstance);
    boolean reserves = random.nextInt(2) == 0;
    Optional<Hold> hold = needsHold || reserves ? Optional.of(newHold(reserves)) : Optional.empty();
    Extras extras = new Extras(some, hold);
    return extras.isEmpty()
        ? asked.with(asked.amount().withExtras(new Extras(kinds, Optional.of(newHold(true)))))
        : asked.with(asked.amount().withExtras(extras));
  }

  private Hold newHold(boolean reserves) {
    String asked = random.nextInt(3) == 0 ? "other" : "same";
    return new Hold(id(), asked, 1 + random.nextLong(20 * SECOND), reserves, random.nextBoolean());
  }

  // Always the same list objects, as in policies.
  private List<List<KindDemand>> subsets() {
    return List.of(
        kinds,
        kinds.stream().filter(Quota.class::isInstance).toList(),
        kinds.stream().filter(kind -> !(kind instanceof Permits)).toList());
  }

  private List<Demand> overflowing(List<Demand> demands) {
    List<Demand> marked = new ArrayList<>();
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      boolean isOther = i > 0 && !marked.get(i - 1).overflow() && random.nextBoolean();
      marked.add(
          new Demand(demand.bucket(), demand.unitsPerOperation(), random.nextInt(3) == 0, isOther));
    }
    return List.copyOf(marked);
  }

  private Ending ending() {
    return switch (random.nextInt(4)) {
      case 0 -> new Ending.Cancelled();
      case 1 -> new Ending.Settled(random.nextInt(5));
      case 2 -> new Ending.Settled(random.nextInt(2000));
      default -> new Ending.Settled(random.nextInt(4) - 1L); // -1: as much as was reserved
    };
  }

  // Sometimes an id that was used before.
  private String id() {
    ids++;
    boolean isOld = !open.isEmpty() && random.nextInt(12) == 0;
    return isOld ? pick(open).id() : "hold" + "%018d".formatted(ids);
  }

  private List<KindDemand> kindsOfPolicy(List<Demand> demands) {
    List<KindDemand> made = new ArrayList<>();
    made.add(quota("q0", false));
    made.add(quota("q1", random.nextInt(3) == 0));
    made.add(
        new Permits("p0", pick(scopes), 1 + random.nextInt(40), 1 + random.nextLong(5 * SECOND)));
    if (random.nextBoolean()) {
      made.add(congestion(demands.get(demands.size() - 1)));
    }
    return List.copyOf(made);
  }

  private Quota quota(String name, boolean overflow) {
    return new Quota(
        name,
        pick(scopes),
        1 + random.nextLong(random.nextInt(5) == 0 ? 10 : 300_000),
        window(),
        random.nextInt(4) == 0,
        1 + random.nextInt(100),
        random.nextInt(3) == 0,
        overflow);
  }

  private Periods window() {
    return switch (random.nextInt(4)) {
      case 0 ->
        new CalendarPeriods(
            pick(List.of(Period.values())), ZoneId.of(pick(ZONES)), 1 + random.nextInt(7));
      case 1 -> new FixedPeriods(1000 + random.nextLong(20_000), false);
      default -> new FixedPeriods(1000 + random.nextLong(20_000), true);
    };
  }

  private Congestion congestion(Demand demand) {
    boolean isCurve = random.nextInt(3) == 0;
    List<Point> points = List.of(
        new Point(500 + random.nextInt(2000), 1000 + random.nextInt(1000)),
        new Point(4000 + random.nextInt(2000), 2500 + random.nextInt(1000)),
        new Point(9000 + random.nextInt(1000), 5000 + random.nextInt(9000)));
    return new Congestion(
        demand.bucket(),
        demand,
        new Scale(
            points, isCurve ? OptionalLong.empty() : OptionalLong.of(random.nextLong(2 * SECOND))),
        random.nextInt(3) == 0,
        random.nextInt(3) == 0
            ? OptionalLong.of(1500 + random.nextInt(5000))
            : OptionalLong.empty());
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
