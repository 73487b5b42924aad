package io.weir.core.throttle;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Names;
import io.weir.core.decision.Verdict;
import io.weir.core.kind.Extras;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import java.util.List;

/**
 * One question to a {@link BucketStore}: may this subject take so much from these buckets?
 *
 * @param tenant the subject's tenant
 * @param subject the id of the subject's API key, never its secret
 * @param revision the policy's revision, above 0
 * @param demands the demands of one operation, each bucket once; empty only if there are extras
 * @param cost in operations, above 0
 * @param slots the rules of the subject's plan for places
 * @param ticket the ticket that the caller shows or wants
 * @param failureMode the failure mode of the subject's plan
 * @param extras the demands besides rates
 */
public record Charge(
    String tenant,
    String subject,
    long revision,
    List<Demand> demands,
    long cost,
    SlotRules slots,
    TicketRequest ticket,
    FailureMode failureMode,
    Extras extras) {

  private static final int MAX_DEMANDS = 500;

  public Charge {
    requireId("tenant", tenant);
    requireId("subject", subject);
    demands = List.copyOf(demands);
    if (demands.isEmpty() && extras.isEmpty()) {
      throw new IllegalArgumentException("demands: none (expected: at least one)");
    }
    if (demands.size() > MAX_DEMANDS) {
      throw new IllegalArgumentException(
          "demands: %d (expected: at most %d)".formatted(demands.size(), MAX_DEMANDS));
    }
    requirePositive("revision", revision);
    requirePositive("cost", cost);
  }

  /** A charge for rates alone. */
  public Charge(
      String tenant,
      String subject,
      long revision,
      List<Demand> demands,
      long cost,
      SlotRules slots,
      TicketRequest ticket,
      FailureMode failureMode) {
    this(tenant, subject, revision, demands, cost, slots, ticket, failureMode, Extras.NONE);
  }

  /** A charge that is refused in an outage. */
  public Charge(
      String tenant,
      String subject,
      long revision,
      List<Demand> demands,
      long cost,
      SlotRules slots,
      TicketRequest ticket) {
    this(tenant, subject, revision, demands, cost, slots, ticket, FailureMode.DENY);
  }

  /** A charge without places. */
  public Charge(String tenant, String subject, long revision, List<Demand> demands, long cost) {
    this(tenant, subject, revision, demands, cost, SlotRules.OFF, TicketRequest.NONE);
  }

  /** The same charge if no memory is left for a longer queue: an existing place counts, but none is made. */
  public Charge withoutNewPlaces() {
    return slots.mode() == SlotMode.RESERVE
        ? new Charge(
            tenant,
            subject,
            revision,
            demands,
            cost,
            slots.withoutNewPlaces(),
            ticket,
            failureMode,
            extras)
        : this;
  }

  /** A charge of another cost on the same buckets, without places. */
  public Charge ofCostAlone(long operations) {
    return new Charge(
        tenant,
        subject,
        revision,
        demands,
        operations,
        SlotRules.OFF,
        TicketRequest.NONE,
        failureMode);
  }

  /** The same charge on some of its buckets. */
  public Charge withDemands(List<Demand> some) {
    return new Charge(tenant, subject, revision, some, cost, slots, ticket, failureMode, extras);
  }

  /** The same charge for rates alone, on some of its buckets and with another cost. */
  public Charge ofRates(List<Demand> some, long operations) {
    return new Charge(tenant, subject, revision, some, operations, slots, ticket, failureMode);
  }

  /** The same charge without overflow demands; this charge if there are none. */
  public Charge withoutOverflow() {
    if (!isMixed()) {
      return this;
    }
    List<Demand> first = demands.stream().filter(demand -> !demand.overflow()).toList();
    return first.isEmpty() ? this : ofRates(first, cost);
  }

  /** The same charge with other extras. */
  public Charge withExtras(Extras other) {
    return new Charge(tenant, subject, revision, demands, cost, slots, ticket, failureMode, other);
  }

  /** Whether it has more than rates that all count the cost. */
  public boolean isMixed() {
    return !extras.isEmpty() || isAnyUnusual();
  }

  private boolean isAnyUnusual() {
    for (Demand demand : demands) {
      if (demand.perRequest() || demand.overflow()) {
        return true;
      }
    }
    return false;
  }

  /** Builds the decision of this charge. */
  public Verdict verdict() {
    return new Verdict(revision, demands, cost);
  }

  private static void requireId(String name, String value) {
    if (!Names.isId(value)) {
      throw new IllegalArgumentException(
          "%s: '%s' (expected: %s)".formatted(name, value, Names.ID_PATTERN));
    }
  }

  private static void requirePositive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException("%s: %d (expected: > 0)".formatted(name, value));
    }
  }
}
