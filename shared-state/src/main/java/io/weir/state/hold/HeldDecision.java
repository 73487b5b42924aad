package io.weir.state.hold;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Permits;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.state.hold.Holds.LocalHold;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A decision and what its request holds until it ends: a hold in the shared state, or, if this is away, permits that only
 * this process knows. A request that is not admitted holds nothing. Safe for use by many threads.
 */
public final class HeldDecision {
  private static final long ALONE_WAIT_US = 1_000_000;

  private final Holds holds;
  private final Decision decision;
  private final Optional<Held> held;
  private final Optional<LocalHold> alone;

  private HeldDecision(
      Holds holds, Decision decision, Optional<Held> held, Optional<LocalHold> alone) {
    this.holds = holds;
    this.decision = decision;
    this.held = held;
    this.alone = alone;
  }

  static HeldDecision begin(Holds holds, Decision decision, HoldWish wish) {
    if (!(decision instanceof Allowed allowed)) {
      return new HeldDecision(holds, decision, Optional.empty(), Optional.empty());
    }
    if (allowed.degraded()) {
      return alone(holds, allowed, wish);
    }
    wish.held().ifPresent(holds::begin);
    return new HeldDecision(holds, decision, wish.held(), Optional.empty());
  }

  // A degraded decision is not recorded in the shared state, and neither is a hold of it.
  private static HeldDecision alone(Holds holds, Allowed allowed, HoldWish wish) {
    List<Permits> limits = wish.limits();
    Optional<LocalHold> hold = wish.held()
        .filter(held -> !limits.isEmpty())
        .flatMap(held -> holds.beginAlone(held, limits));
    boolean isFull = !limits.isEmpty() && hold.isEmpty();
    List<String> full = limits.stream().map(Permits::name).toList();
    Decision decision = isFull ? Denied.degraded(allowed.revision(), full, ALONE_WAIT_US) : allowed;
    return new HeldDecision(holds, decision, Optional.empty(), hold);
  }

  /** The decision; while the shared state is away, a denial if this node's share of the permits is used up. */
  public Decision decision() {
    return decision;
  }

  /** The hold in the shared state, if any. */
  public Optional<Held> held() {
    return held;
  }

  /** Whether an amount is reserved that its end may change. */
  public boolean reserves() {
    return held.filter(Held::reserves).isPresent();
  }

  /**
   * Ends what it holds; call it once.
   *
   * @return completes when the end is stored; exceptionally with a {@link
   *     io.weir.core.throttle.StoreUnavailableException} if it could not be until the hold had expired
   */
  public CompletionStage<Ended> end(Ending ending) {
    alone.ifPresent(holds::end);
    return held.map(hold -> holds.end(hold, ending))
        .orElseGet(() -> CompletableFuture.completedFuture(new Ended(Status.RELEASED, false, 0)));
  }
}
