package io.weir.testkit;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Generates histories of one small cluster: the charges, the time between them, and the callers that return. The same
 * seed gives the same history, as long as the answers are the same. Mutable; owned by one test.
 */
public final class Scenario {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;
  private static final List<Long> LATENESS = List.of(1_000L, 20_000L, 100_000L, 700_000L);
  private static final List<String> TENANTS = List.of("acme", "globex");
  private static final List<String> SUBJECTS = List.of("k1", "k2", "k3");
  private static final int MOST_AT_ONCE = 6;
  private static final int MOST_RETURNS = 60;

  /** The content of a history. */
  public enum StepType {
    /**
     * All combinations: slots of each mode, changes of policy, steps of the clock in both directions, buckets of every
     * scope, costs that fit and that never do, tickets that are own, foreign, expired or forged.
     */
    MIXED,
    /** No places: levels, waits, changes of policy and steps of the clock. */
    RATES,
    /** One policy with places, a clock that only goes forward, and callers that show only their own tickets. */
    CALLERS
  }

  /**
   * The next charges.
   *
   * @param advanceMicros how far the clock moves before them; negative if it goes back
   * @param charges at once, in this order, all of one subject
   */
  public record Step(long advanceMicros, List<Charge> charges) {
    public Step {
      charges = List.copyOf(charges);
    }
  }

  /** A denied caller that is to return. */
  private record Return(Charge charge, Optional<String> ticket, long dueMicros) {}

  private final long seed;
  private final StepType kind;
  private final RandomGenerator random;
  private final ScenarioPolicies policies;
  private final List<Return> returns = new ArrayList<>();
  List<Demand> demands;
  private SlotMode slots;
  private long revision = 1;
  private long steps;
  private long now;

  /** A history over one to three buckets. */
  public Scenario(long seed, StepType kind) {
    this(seed, kind, 1 + (int) (seed % 3));
  }

  /** A history for stores that keep buckets of scope {@code cluster} elsewhere: other buckets replace them. */
  public static Scenario withoutClusterBuckets(long seed, StepType kind) {
    return new Scenario(seed, kind, 1 + (int) (seed % 3), false);
  }

  /** @param buckets the number of buckets in a policy */
  public Scenario(long seed, StepType kind, int buckets) {
    this(seed, kind, buckets, true);
  }

  private Scenario(long seed, StepType kind, int buckets, boolean hasClusterBuckets) {
    this.seed = seed;
    this.kind = kind;
    this.random = new Random(seed);
    this.policies = new ScenarioPolicies(random, kind, buckets, hasClusterBuckets);
    this.demands = policies.demands();
    this.slots = policies.slots();
  }

  /** The seed of the history, for the message of a failed test. */
  public long seed() {
    return seed;
  }

  /** Returns the next step; {@link #answered} must follow for each of its charges. */
  public Step next() {
    if (kind != StepType.CALLERS && random.nextInt(400) == 0) {
      demands = policies.demands();
      slots = policies.slots();
      revision++;
    }
    boolean comesBack = !returns.isEmpty()
        && (kind == StepType.CALLERS ? random.nextInt(4) > 0 : random.nextInt(3) == 0);
    Step step =
        comesBack ? comeBack() : new Step(pause(), atOnce(charge(pick(TENANTS), pick(SUBJECTS))));
    now += step.advanceMicros();
    steps++;
    return step;
  }

  /** Records an answer: a caller that got a retry time may return. */
  public void answered(Charge charge, StoreAnswer answer) {
    if (kind != StepType.RATES
        && answer instanceof Decided decided
        && decided.decision() instanceof Denied denied) {
      long wait = denied.retryAfterMicros();
      boolean isExact = denied.estimate() || wait <= charge.ticket().withinMicros();
      returns.add(new Return(charge, denied.ticket(), now + (isExact ? wait : ceilSeconds(wait))));
    }
    if (returns.size() > MOST_RETURNS) {
      returns.remove(0);
    }
  }

  /** A new charge of a tenant's subject, by the policy in force. */
  public Charge charge(String tenant, String subject) {
    int first = random.nextInt(demands.size());
    boolean isOld = kind != StepType.CALLERS && revision > 1 && random.nextInt(300) == 0;
    return new Charge(
            tenant,
            subject,
            isOld ? revision - 1 : revision,
            operation(demands.subList(first, demands.size())),
            cost())
        .with(new Queueing(slots, ticket()));
  }

  // Some operations count as several in their buckets.
  private List<Demand> operation(List<Demand> of) {
    long times = random.nextInt(3) > 0 ? 1 : 2 + random.nextInt(4);
    return of.stream().map(demand -> times(demand, times)).toList();
  }

  private static Demand times(Demand demand, long times) {
    return demand.unitsPerOperation() > demand.bucket().capacityUnits() / times
        ? demand
        : new Demand(demand.bucket(), demand.unitsPerOperation() * times);
  }

  // Charges at once are of one subject and take the same lane: only those have an order among each
  // other.
  private List<Charge> atOnce(Charge first) {
    List<Charge> charges = new ArrayList<>();
    charges.add(first);
    boolean shows = first.ticket().shown().isPresent();
    int most = random.nextInt(3) == 0 ? 1 + random.nextInt(MOST_AT_ONCE) : 1;
    for (int i = 1; i < most; i++) {
      Charge last = charges.get(charges.size() - 1);
      Charge next = random.nextBoolean()
          ? with(last, renewed(last.ticket()))
          : charge(first.tenant(), first.subject());
      if (next.ticket().shown().isPresent() == shows) {
        charges.add(next);
      }
    }
    return charges;
  }

  // Mostly the next caller, at its time, slightly later, too late, or at the present time.
  private Step comeBack() {
    Return one = random.nextInt(4) == 0
        ? pick(returns)
        : returns.stream().min(Comparator.comparingLong(Return::dueMicros)).orElseThrow();
    returns.remove(one);
    Charge before = one.charge();
    long pause = switch (random.nextInt(12)) {
      case 0, 1 -> 0;
      case 2 -> 2 * SECOND;
      case 3, 4, 5 -> random.nextLong(pick(LATENESS));
      default -> 0;
    };
    boolean waits = random.nextInt(6) > 0;
    long early = Math.max(0, Math.min(one.dueMicros() - now, 100 * SECOND));
    TicketRequest ticket = one.ticket().isPresent()
        ? TicketRequest.wanted(one.ticket(), secret())
        : renewed(before.ticket());
    return new Step(waits ? early + pause : 0, atOnce(with(before, ticket)));
  }

  private Charge with(Charge before, TicketRequest ticket) {
    return new Charge(before.tenant(), before.subject(), revision, before.demands(), before.cost())
        .with(new Queueing(slots, ticket));
  }

  // Charges at once share one secret: a batch may use that of any of them.
  private TicketRequest renewed(TicketRequest before) {
    return before.secret().isEmpty()
        ? before
        : new TicketRequest(before.shown(), secret(), before.withinMicros());
  }

  private String secret() {
    String number = Long.toString(steps);
    return "id" + "0".repeat(20 - number.length()) + number;
  }

  private long cost() {
    return switch (random.nextInt(30)) {
      case 0 -> 1 + random.nextInt(kind == StepType.CALLERS ? 10 : 1000);
      case 1 -> kind == StepType.CALLERS ? 2 : Long.MAX_VALUE >> random.nextInt(30);
      default -> 1 + random.nextInt(3) * random.nextInt(2);
    };
  }

  private TicketRequest ticket() {
    String id = secret();
    Optional<String> shown =
        returns.isEmpty() ? Optional.empty() : pick(returns).ticket();
    return switch (kind == StepType.RATES ? 0 : random.nextInt(kind == StepType.CALLERS ? 5 : 10)) {
      case 0, 1 -> TicketRequest.NONE;
      case 2, 3, 8 -> TicketRequest.wanted(Optional.empty(), id);
      case 4 -> new TicketRequest(Optional.empty(), id, random.nextLong(2 * SECOND));
      case 5 -> TicketRequest.wanted(Optional.of("9".repeat(16) + ".1.0." + "a".repeat(20)), id);
      case 6 -> TicketRequest.wanted(shown.map(text -> "0" + text.substring(1)), id);
      default -> TicketRequest.wanted(shown, id);
    };
  }

  // Not at all, slightly forward, far forward, or back.
  private long pause() {
    boolean steps = kind != StepType.CALLERS;
    return switch (random.nextInt(24)) {
      case 0, 1, 2 -> random.nextLong(SECOND / 5);
      case 3 -> random.nextLong(3 * SECOND);
      case 4 -> steps && random.nextInt(20) == 0 ? random.nextLong(2 * HOUR) : 1;
      case 5 -> steps && random.nextInt(8) == 0 ? -random.nextLong(SECOND) : 0;
      case 6 -> steps && random.nextInt(100) == 0 ? -random.nextLong(HOUR) : 0;
      case 7, 8, 9, 10, 11 -> random.nextLong(2000);
      default -> 0;
    };
  }

  // Callers without a ticket wait for whole seconds, as Retry-After says.
  private static long ceilSeconds(long micros) {
    return (micros + SECOND - 1) / SECOND * SECOND;
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
