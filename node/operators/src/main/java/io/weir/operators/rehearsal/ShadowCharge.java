package io.weir.operators.rehearsal;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.List;
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

  /** The decisions that they would get now, on the key's and its tenant's limits, and on those that all share. */
  CompletionStage<List<Decision>> peek(BucketStore store) {
    return peek(store, own).thenCombine(peek(store, shared), (ofOwn, ofAll) -> {
      List<Decision> decisions = new ArrayList<>(ofOwn);
      ofAll.forEach(decision -> decisions.add(ofCluster(decision)));
      return decisions;
    });
  }

  private static CompletionStage<List<Decision>> peek(BucketStore store, Optional<Charge> charge) {
    return charge
        .map(store::peek)
        .map(asked -> asked.thenApply(answer ->
            answer instanceof Decided decided ? List.of(decided.decision()) : List.<Decision>of()))
        .orElse(CompletableFuture.completedFuture(List.of()));
  }

  // These limits are kept as those of a key.
  private static Decision ofCluster(Decision decision) {
    List<Limit> limits = decision.limits().stream()
        .map(limit -> new Limit(
            limit.bucket(),
            limit.kind(),
            Scope.CLUSTER,
            limit.quota(),
            limit.windowMillis(),
            limit.usedUnits(),
            limit.remaining(),
            limit.resetMicros()))
        .toList();
    return decision.<Decision>fold(
        allowed -> new Allowed(decision.revision(), limits),
        denied -> new Denied(
            decision.revision(),
            limits,
            denied.full(),
            denied.retryAfterMicros(),
            true,
            Optional.empty()),
        never -> new NeverAllowed(decision.revision(), limits, never.full(), never.reason()));
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
