package io.weir.operators.rehearsal;

import io.weir.core.decision.Decision.Allowed;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A charge of limits that are only rehearsed. Immutable.
 *
 * @param own of the key and its tenant
 * @param shared of what all share, which is kept elsewhere
 */
record ShadowCharge(Optional<Charge> own, Optional<Charge> shared) {
  boolean isEmpty() {
    return own.isEmpty() && shared.isEmpty();
  }

  /**
   * Takes from all of them, or from none. Two owners cannot be charged in one step: if others take the last room of what
   * all share in between, the key has paid for a request that is counted as denied.
   */
  CompletionStage<StoreAnswer> decide(BucketStore store) {
    if (shared.isEmpty()) {
      return store.tryCharge(own.orElseThrow());
    }
    if (own.isEmpty()) {
      return store.tryCharge(shared.get());
    }
    return ifAllowed(
        store.peek(shared.get()),
        () -> ifAllowed(store.tryCharge(own.get()), () -> store.tryCharge(shared.get())));
  }

  private interface Next {
    CompletionStage<StoreAnswer> ask();
  }

  private static CompletionStage<StoreAnswer> ifAllowed(
      CompletionStage<StoreAnswer> asked, Next next) {
    return asked.thenCompose(
        answer -> answer instanceof Decided decided && decided.decision() instanceof Allowed
            ? next.ask()
            : CompletableFuture.completedFuture(answer));
  }
}
