package io.weir.state.wire;

import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A charge and its future answer. Equal charges are linked to each other in a batch. */
public final class PendingCharge extends CompletableFuture<StoreAnswer> {
  private static final int MOST_ATTEMPTS = 3;

  private final Charge charge;
  private final long clockMicros;
  private final long askedNanos;
  private int attempts;
  private boolean isQueued;
  /** The other charges of several that are decided as one, in the first of these. */
  private List<PendingCharge> companions = List.of();

  private boolean isJoined;

  @Nullable
  private PendingCharge next;

  public PendingCharge(Charge charge, long clockMicros, long askedNanos) {
    this.charge = charge;
    this.clockMicros = clockMicros;
    this.askedNanos = askedNanos;
  }

  /** Charges that are decided as one, at one instant; the first is sent with the others. An error is that of all. */
  public static List<PendingCharge> joined(
      List<Charge> charges, long clockMicros, long askedNanos) {
    List<PendingCharge> all = charges.stream()
        .map(charge -> new PendingCharge(charge, clockMicros, askedNanos))
        .toList();
    PendingCharge first = all.get(0);
    first.companions = all.subList(1, all.size());
    all.forEach(pending -> pending.isJoined = true);
    var unused = first.whenComplete((answer, error) -> {
      if (error != null) {
        first.companions.forEach(other -> other.completeExceptionally(error));
      }
    });
    return all;
  }

  public Charge charge() {
    return charge;
  }

  /** The same with what was granted of the charge, without an answer; this one if that is all that it may take. */
  public PendingCharge granted(long operations) {
    return charge.isPartial()
        ? new PendingCharge(charge.granted(operations), clockMicros, askedNanos)
        : this;
  }

  /** Whether it is one of several charges that are decided as one. */
  public boolean isJoined() {
    return isJoined;
  }

  /** The charges that are sent with this one, and decided as one with it. */
  public List<PendingCharge> companions() {
    return companions;
  }

  /** The instant of the charge, if the store does not use Redis's clock. */
  public long clockMicros() {
    return clockMicros;
  }

  /** When it was asked, by the clock of this process. */
  public long askedNanos() {
    return askedNanos;
  }

  /** Whether its owner waited a moment ago: the charge is expected to need the long way. */
  public boolean isQueued() {
    return isQueued;
  }

  /** Sets whether the charge is expected to need the long way. */
  public void expectQueue(boolean expected) {
    isQueued = expected;
  }

  /** The next equal charge. */
  @Nullable
  public PendingCharge next() {
    return next;
  }

  /** Whether it may be asked once more; if not, it is completed with an error. */
  public boolean mayBeAskedAgain() {
    attempts++;
    if (attempts < MOST_ATTEMPTS) {
      return true;
    }
    completeExceptionally(new StoreUnavailableException(
        StoreFault.DATA, "Redis has no period for a quota at its present time", null));
    return false;
  }

  /** Ends the chain here; returns the charges after this one. */
  @Nullable
  public PendingCharge cut() {
    @Nullable PendingCharge behind = next;
    next = null;
    return behind;
  }

  void append(PendingCharge equal) {
    next = equal;
  }
}
