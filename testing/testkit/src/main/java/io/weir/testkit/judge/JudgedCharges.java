package io.weir.testkit.judge;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.Queueing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;

/** The charges of a judged history: of three keys, for operations of its policy. Mutable; owned by one history. */
final class JudgedCharges {
  private static final long SECOND = 1_000_000;

  private final Random random;
  private final JudgedPolicy policy;
  private final UnaryOperator<Charge> more;
  private long ids;

  /** @param more what is added to a caller's charges */
  JudgedCharges(Random random, JudgedPolicy policy, UnaryOperator<Charge> more) {
    this.random = random;
    this.policy = policy;
    this.more = more;
  }

  /** A caller that does not wait yet. */
  Charge newcomer() {
    List<Demand> demands = one(policy.operations());
    long cost = cost(demands);
    return more.apply(new Charge(
        tenant(),
        one("k1", "k2"),
        policy.revision(),
        new Amount(demands, cost, extras()),
        queueing(Optional.empty()),
        FailureMode.DENY));
  }

  /** Charges of several keys, on limits of the key alone. All show the same ticket. */
  JointCharge newcomers() {
    List<String> keys = new ArrayList<>(List.of("k1", "k2", "k3", "k4"));
    Collections.shuffle(keys, random);
    String tenant = tenant();
    Queueing queueing = queueing(Optional.empty());
    return new JointCharge(keys.subList(0, one(2, 2, 2, 3, 4)).stream()
        .map(key -> more.apply(ofKey(tenant, key, queueing)))
        .toList());
  }

  private Charge ofKey(String tenant, String key, Queueing queueing) {
    List<Demand> demands = random.nextInt(8) > 0 ? one(operationsOfKeys()) : List.of();
    List<KindDemand> quotas =
        demands.isEmpty() || random.nextInt(4) == 0 ? quotasOfKeys() : List.of();
    long cost = demands.isEmpty() ? 1 + random.nextInt(4) : cost(demands);
    SlotMode mode = random.nextInt(8) > 0 ? queueing.slots() : SlotMode.OFF;
    return new Charge(
        tenant,
        key,
        policy.revision(),
        new Amount(demands, cost, new Extras(quotas, Optional.empty())),
        new Queueing(mode, queueing.ticket()),
        FailureMode.DENY);
  }

  /** A charge of a key as a refund or a debt without a reservation has it, if there are such limits. */
  Optional<Charge> correction() {
    Charge charge = ofKey(tenant(), one("k1", "k2", "k3", "k4"), Queueing.NONE);
    List<Demand> demands =
        charge.demands().stream().filter(demand -> !demand.perRequest()).toList();
    List<KindDemand> quotas = charge.extras().demands().stream()
        .filter(kind -> kind instanceof Quota quota && !quota.countsRequests())
        .toList();
    return demands.isEmpty() && quotas.isEmpty()
        ? Optional.empty()
        : Optional.of(
            charge.with(new Amount(demands, charge.cost(), new Extras(quotas, Optional.empty()))));
  }

  private List<List<Demand>> operationsOfKeys() {
    return policy.operations().stream()
        .filter(
            demands -> demands.stream().allMatch(demand -> demand.bucket().scope() == Scope.KEY))
        .toList();
  }

  private List<KindDemand> quotasOfKeys() {
    return policy.quotas().stream().filter(quota -> quota.scope() == Scope.KEY).toList();
  }

  private String tenant() {
    return one("acme", "acme", "globex");
  }

  private long cost(List<Demand> demands) {
    long most = demands.stream()
        .mapToLong(demand -> demand.operationsIn(demand.bucket().capacityUnits()))
        .min()
        .orElseThrow();
    long cost = one(1L, 1L, 1L, 2L, Math.max(1, most / 2), 1 + most / 2, most);
    return Math.min(cost, most);
  }

  private Extras extras() {
    List<KindDemand> kinds = one(List.of(), List.of(), policy.kinds(), policy.quotas());
    boolean reserves = random.nextInt(4) == 0;
    boolean isHeld = reserves || kinds.stream().anyMatch(Permits.class::isInstance);
    Hold hold = new Hold(
        "hold%018d".formatted(ids++),
        1 + random.nextLong(20 * SECOND),
        reserves,
        random.nextBoolean());
    return new Extras(kinds, isHeld ? Optional.of(hold) : Optional.empty());
  }

  /** How a caller waits that shows this ticket. */
  Queueing queueing(Optional<String> shown) {
    SlotMode mode = shown.isPresent() || random.nextInt(8) > 0
        ? SlotMode.RESERVE
        : one(SlotMode.OFF, SlotMode.ESTIMATE);
    String secret = "%022d".formatted(ids++);
    return new Queueing(
        mode,
        switch (random.nextInt(4)) {
          case 0 -> shown.isPresent() ? TicketRequest.wanted(shown, secret) : TicketRequest.NONE;
          case 1 -> new TicketRequest(shown, secret, random.nextLong(2 * SECOND));
          default -> TicketRequest.wanted(shown, secret);
        });
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @SafeVarargs
  private final <T> T one(T... of) {
    return of[random.nextInt(of.length)];
  }
}
