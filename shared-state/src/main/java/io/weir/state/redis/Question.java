package io.weir.state.redis;

import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A charge and its answer to come. Those that are equal stand behind each other in a batch. */
final class Question extends CompletableFuture<StoreAnswer> {
  final Charge charge;
  /** When it is asked, where the store does not live by Redis's clock. */
  final long clockMicros;

  /** When it was asked, by the clock of this process. */
  final long askedNanos;

  @Nullable
  Question next;

  Question(Charge charge, long clockMicros, long askedNanos) {
    this.charge = charge;
    this.clockMicros = clockMicros;
    this.askedNanos = askedNanos;
  }
}
