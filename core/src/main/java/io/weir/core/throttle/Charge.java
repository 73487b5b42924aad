package io.weir.core.throttle;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Names;
import io.weir.core.decision.Verdict;
import io.weir.core.kind.Extras;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import java.util.List;

/**
 * One question to a {@link BucketStore}: may this subject take so much from these buckets?
 *
 * @param tenant the subject's tenant
 * @param subject the name of the subject, such as the id of its API key, never its secret
 * @param revision the policy's revision, above 0
 * @param amount what it takes
 * @param queueing how it waits
 * @param failureMode the failure mode of the subject's plan
 */
public record Charge(
    String tenant,
    String subject,
    long revision,
    Amount amount,
    Queueing queueing,
    FailureMode failureMode) {

  public Charge {
    if (!Names.isId(tenant)) {
      throw wrong("tenant", tenant, Names.ID_PATTERN);
    }
    if (!Names.isSubject(subject)) {
      throw wrong("subject", subject, Names.SUBJECT_PATTERN);
    }
    if (revision <= 0) {
      throw new IllegalArgumentException("revision: %d (expected: > 0)".formatted(revision));
    }
  }

  /** A charge for rates alone, without places, that is refused in an outage. */
  public Charge(String tenant, String subject, long revision, List<Demand> demands, long cost) {
    this(tenant, subject, revision, Amount.ofRates(demands, cost), Queueing.NONE, FailureMode.DENY);
  }

  /** The same charge for another amount. */
  public Charge with(Amount other) {
    return new Charge(tenant, subject, revision, other, queueing, failureMode);
  }

  /** The same charge, waiting in another way. */
  public Charge with(Queueing other) {
    return new Charge(tenant, subject, revision, amount, other, failureMode);
  }

  /** The same charge without overflow demands; this charge if there are none. */
  public Charge withoutOverflow() {
    if (!isMixed()) {
      return this;
    }
    List<Demand> first = demands().stream().filter(demand -> !demand.overflow()).toList();
    return first.isEmpty() ? this : with(Amount.ofRates(first, cost()));
  }

  /** The demands on rates. */
  public List<Demand> demands() {
    return amount.demands();
  }

  /** The cost in operations; the most that is taken. */
  public long cost() {
    return amount.cost();
  }

  /** Whether it accepts less than its cost. */
  public boolean isPartial() {
    return amount.operations().isPartial();
  }

  /** The same charge for the least that it accepts; this charge if that is its cost. */
  public Charge atLeast() {
    return granted(amount.operations().least());
  }

  /** The same charge for what was granted of it; this charge if that is all that it may take. */
  public Charge granted(long operations) {
    return isPartial() ? with(amount.costing(Cost.of(operations))) : this;
  }

  /** The demands besides rates. */
  public Extras extras() {
    return amount.extras();
  }

  /** The rules for places. */
  public SlotMode slots() {
    return queueing.slots();
  }

  /** The ticket that the caller shows or wants. */
  public TicketRequest ticket() {
    return queueing.ticket();
  }

  /** Whether it has more than rates that all count the cost, or accepts less than its cost. */
  public boolean isMixed() {
    return amount.isMixed();
  }

  /** Builds the decision of this charge. */
  public Verdict verdict() {
    return new Verdict(revision, demands(), cost());
  }

  private static IllegalArgumentException wrong(String name, String value, String expected) {
    return new IllegalArgumentException("%s: '%s' (expected: %s)".formatted(name, value, expected));
  }
}
