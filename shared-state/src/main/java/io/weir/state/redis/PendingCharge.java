package io.weir.state.redis;

import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A charge and its answer to come. Those that are equal stand behind each other in a batch. */
final class PendingCharge extends CompletableFuture<StoreAnswer> {
  final Charge charge;
  /** When it is asked, where the store does not live by Redis's clock. */
  final long clockMicros;

  /** When it was asked, by the clock of this process. */
  final long askedNanos;

  /** How many moments more an estimate may take, for callers to come. */
  final int spare;

  @Nullable
  PendingCharge next;

  /** Ends a charge that a lane handed back which decides everything. */
  void cannotBeHandedOn() {
    completeExceptionally(
        new StoreUnavailableException("the answer of Redis was not understood: handed back", null));
  }

  PendingCharge(Charge charge, long clockMicros, long askedNanos, int spare) {
    this.charge = charge;
    this.clockMicros = clockMicros;
    this.askedNanos = askedNanos;
    this.spare = spare;
  }
}
