package io.weir.testkit;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.KindScenarioRun.Stores;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** Helpers that charge stores for limits of all kinds. Mutable; one for each test. */
abstract class KindsFixture {
  static final long SECOND = 1_000_000;
  private static final long MINUTE_MILLIS = 60_000;
  private static final String SECRET = "A".repeat(TicketRequest.SECRET_LENGTH);

  private final ManualClock clock = new ManualClock();
  private @Nullable Stores made;
  private long ids;

  /** Makes empty stores on this clock. */
  protected abstract Stores emptyStores(ManualClock clock);

  @BeforeEach
  void make() {
    made = emptyStores(clock);
  }

  final ManualClock clock() {
    return clock;
  }

  final Stores stores() {
    return Objects.requireNonNull(made);
  }

  final Decision ask(long cost, List<Demand> demands, Extras extras) {
    Charge charge = charge(cost, demands, extras);
    return ((Decided) stores().buckets().tryCharge(charge).toCompletableFuture().join()).decision();
  }

  /** A charge that accepts less than its cost. */
  final Decision ask(Cost cost, List<Demand> demands, Extras extras) {
    return decided(charge(1, demands, extras).with(new Amount(demands, cost, extras)));
  }

  /** A charge that gets a place if it is denied. */
  final Decision askForPlace(long cost, List<Demand> demands) {
    return askForPlace(Cost.of(cost), demands, Optional.empty());
  }

  /** The same for a caller that accepts less than its cost, and may show its ticket. */
  final Decision askForPlace(Cost cost, List<Demand> demands, Optional<String> ticket) {
    return decided(new Charge(
        "acme",
        "k1",
        1,
        new Amount(demands, cost, Extras.NONE),
        new Queueing(SlotMode.RESERVE, TicketRequest.wanted(ticket, SECRET)),
        FailureMode.DENY));
  }

  private Decision decided(Charge charge) {
    return ((Decided) stores().buckets().tryCharge(charge).toCompletableFuture().join()).decision();
  }

  /** The operations that are used of a bucket, rounded down. */
  final long used(Demand demand) {
    return usedUnits(demand) / demand.unitsPerOperation();
  }

  final long usedUnits(Demand demand) {
    Charge charge = charge(1, List.of(demand), Extras.NONE);
    return ((Decided) stores().buckets().peek(charge).toCompletableFuture().join())
        .decision()
        .usedUnits(0);
  }

  final Ended end(List<Demand> demands, Extras extras, Ending ending) {
    Held held = Held.of(charge(1, demands, extras), extras.hold().orElseThrow());
    return stores().holds().end(held, ending).toCompletableFuture().join();
  }

  final boolean renew(Extras extras) {
    return renewAs("k1", extras);
  }

  /** Another key of the tenant renews a hold. */
  final boolean renewAs(String key, Extras extras) {
    Held held = Held.of(chargeOf(key, 1, List.of(), extras), extras.hold().orElseThrow());
    return stores().holds().renew(List.of(held)).toCompletableFuture().join().get(0);
  }

  /** Another key of the tenant asks. */
  final Decision askAs(String key, Extras extras) {
    return decided(chargeOf(key, 1, List.of(), extras));
  }

  private static Charge charge(long cost, List<Demand> demands, Extras extras) {
    return chargeOf("k1", cost, demands, extras);
  }

  private static Charge chargeOf(String key, long cost, List<Demand> demands, Extras extras) {
    return new Charge(
        "acme", key, 1, new Amount(demands, cost, extras), Queueing.NONE, FailureMode.DENY);
  }

  final Extras reserving() {
    return held(List.of(), true, false);
  }

  final Extras held(List<KindDemand> demands, boolean reserves, boolean refunds) {
    ids++;
    return new Extras(
        demands,
        Optional.of(new Hold("id" + "%020d".formatted(ids), 5 * SECOND, reserves, refunds)));
  }

  // The same id for a request with another content.
  static Extras reused(Extras extras, String asked) {
    Hold hold = extras.hold().orElseThrow();
    return new Extras(
        extras.demands(),
        Optional.of(new Hold(
            hold.id(), asked, hold.leaseMicros(), hold.reserves(), hold.refundsOnExpiry())));
  }

  static Permits permits(long limit) {
    return new Permits("permits", Scope.TENANT, limit, 5 * SECOND);
  }

  static Quota quota(String name, long limit, boolean overflow) {
    return new Quota(
        name, Scope.KEY, limit, new FixedPeriods(3_600_000, false), false, 80, false, overflow);
  }

  // A bucket that drains this many operations a minute, and holds as many.
  static Demand perMinute(String name, long operations) {
    Bucket bucket = new Bucket(name, Scope.KEY, operations * 1000, MINUTE_MILLIS);
    return Demand.of(bucket, 60);
  }
}
