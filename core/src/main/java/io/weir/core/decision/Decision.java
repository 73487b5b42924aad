package io.weir.core.decision;

import io.weir.core.bucket.Demand;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The answer to one request. Immutable; only {@link Allowed} takes anything from a bucket. */
public sealed interface Decision {

  /** The revision of the policy that decided. */
  long revision();

  /** The state of each bucket of the request, in the order of the policy; empty if it draws from none. */
  List<Limit> limits();

  /**
   * The demands of the operation on the buckets of {@link #limits}. All decisions of an operation by a plan of one
   * revision share one list, or list one demand of it alone, so that values derived from the list or that demand can be
   * cached. Empty if no bucket is used.
   */
  default List<Demand> demands() {
    return limits() instanceof Limits known ? known.demands() : List.of();
  }

  /** The units used of one of the {@link #limits}, without making the others known. */
  default long usedUnits(int limit) {
    return limits() instanceof Limits known
        ? known.usedUnits(limit)
        : limits().get(limit).usedUnits();
  }

  /**
   * Whether a node decided by itself during an outage, from its share of the limits or without any limit. Then nothing
   * was promised.
   */
  default boolean degraded() {
    return false;
  }

  /** Additional information about the decision. */
  default Remarks remarks() {
    return Remarks.NONE;
  }

  /** The same decision, to be found by this id. */
  Decision withId(String id);

  /** Calls one function per case, so that a new case does not compile until every caller handles it. */
  <T> T fold(
      Function<? super Allowed, ? extends T> allowed,
      Function<? super Denied, ? extends T> denied,
      Function<? super NeverAllowed, ? extends T> neverAllowed);

  /** The request may pass; its cost is taken from every bucket. */
  record Allowed(long revision, List<Limit> limits, boolean degraded, Remarks remarks)
      implements Decision {
    public Allowed {
      limits = Limits.immutable(limits);
    }

    @Override
    public Allowed withId(String id) {
      return new Allowed(revision, limits, degraded, remarks.withId(id));
    }

    /** The same admission, of so many operations: its request accepts less than its cost. */
    public Allowed withGranted(long operations) {
      return new Allowed(revision, limits, degraded, remarks.withGranted(operations));
    }

    public Allowed(long revision, List<Limit> limits, boolean degraded) {
      this(revision, limits, degraded, Remarks.NONE);
    }

    public Allowed(long revision, List<Limit> limits) {
      this(revision, limits, false);
    }

    @Override
    public <T> T fold(
        Function<? super Allowed, ? extends T> allowed,
        Function<? super Denied, ? extends T> denied,
        Function<? super NeverAllowed, ? extends T> neverAllowed) {
      return allowed.apply(this);
    }
  }

  /**
   * The request may not pass now.
   *
   * @param full the limits that had no room, by name; empty if the caller came before its slot
   * @param retryAfterMicros the wait until its slot, or an estimate
   * @param estimate whether the wait is an estimate: nothing was promised
   * @param ticket the ticket that the caller shows when it returns at its slot
   */
  record Denied(
      long revision,
      List<Limit> limits,
      List<String> full,
      long retryAfterMicros,
      boolean estimate,
      Optional<String> ticket,
      boolean degraded,
      Remarks remarks)
      implements Decision {
    public Denied {
      limits = Limits.immutable(limits);
      full = List.copyOf(full);
    }

    /** A denial by a node alone, with an estimate. */
    public static Denied degraded(long revision, List<String> full, long retryAfterMicros) {
      return new Denied(
          revision, List.of(), full, retryAfterMicros, true, Optional.empty(), true, Remarks.NONE);
    }

    public Denied(
        long revision,
        List<Limit> limits,
        List<String> full,
        long retryAfterMicros,
        boolean estimate,
        Optional<String> ticket) {
      this(revision, limits, full, retryAfterMicros, estimate, ticket, false, Remarks.NONE);
    }

    @Override
    public Denied withId(String id) {
      return new Denied(
          revision, limits, full, retryAfterMicros, estimate, ticket, degraded, remarks.withId(id));
    }

    /** The wait. */
    public Duration retryAfter() {
      return Duration.of(retryAfterMicros, ChronoUnit.MICROS);
    }

    @Override
    public <T> T fold(
        Function<? super Allowed, ? extends T> allowed,
        Function<? super Denied, ? extends T> denied,
        Function<? super NeverAllowed, ? extends T> neverAllowed) {
      return denied.apply(this);
    }
  }

  /**
   * The request can never pass under this policy, however long it waits.
   *
   * @param full the buckets that had no room, by name; empty unless the cost is the reason
   */
  record NeverAllowed(
      long revision, List<Limit> limits, List<String> full, Reason reason, Remarks remarks)
      implements Decision {
    public NeverAllowed {
      limits = Limits.immutable(limits);
      full = List.copyOf(full);
    }

    public NeverAllowed(long revision, List<Limit> limits, List<String> full, Reason reason) {
      this(revision, limits, full, reason, Remarks.NONE);
    }

    @Override
    public NeverAllowed withId(String id) {
      return new NeverAllowed(revision, limits, full, reason, remarks.withId(id));
    }

    @Override
    public <T> T fold(
        Function<? super Allowed, ? extends T> allowed,
        Function<? super Denied, ? extends T> denied,
        Function<? super NeverAllowed, ? extends T> neverAllowed) {
      return neverAllowed.apply(this);
    }
  }

  /** Why a request can never pass. */
  enum Reason {
    /** The cost is above the capacity of a bucket. */
    COST_EXCEEDS_CAPACITY("cost_exceeds_capacity"),
    /** The policy froze the subject or the operation with a limit of zero. */
    ACCESS_DISABLED("access_disabled"),
    /** The policy names no limit for the operation and denies such operations. */
    OPERATION_NOT_CONFIGURED("operation_not_configured"),
    /** A reservation of this id has ended already. */
    RESERVATION_ENDED("reservation_ended"),
    /** An open reservation has this id, but another content. */
    RESERVATION_ID_REUSED("reservation_id_reused");

    private final String code;

    Reason(String code) {
      this.code = code;
    }

    /** The code of the reason in answers, logs and metrics. */
    public String code() {
      return code;
    }
  }
}
