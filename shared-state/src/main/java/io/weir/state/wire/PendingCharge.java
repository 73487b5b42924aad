package io.weir.state.wire;

import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
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

  @Nullable
  private PendingCharge next;

  public PendingCharge(Charge charge, long clockMicros, long askedNanos) {
    this.charge = charge;
    this.clockMicros = clockMicros;
    this.askedNanos = askedNanos;
  }

  public Charge charge() {
    return charge;
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
