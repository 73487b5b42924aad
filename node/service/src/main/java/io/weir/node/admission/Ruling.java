package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.auth.Identities;
import io.weir.state.hold.Holds.LocalHold;
import java.util.Optional;
import java.util.function.Function;

/** The result of admission: admitted, denied, never allowed or refused. */
public sealed interface Ruling {
  /**
   * The request passes, possibly with a denial if it continues an admitted one: its cost is then a debt. The code that
   * forwards it must end its holds.
   */
  record Admitted(Decision decision, Optional<Held> held, Optional<LocalHold> alone)
      implements Ruling {
    public Admitted(Decision decision) {
      this(decision, Optional.empty(), Optional.empty());
    }
  }

  /** It may not pass now. */
  record Denied(Decision.Denied decision) implements Ruling {}

  /** It can never pass. */
  record NeverAllowed(Decision.NeverAllowed decision) implements Ruling {}

  /** Nothing was decided. */
  record Refused(ProblemDetails problem) implements Ruling {}

  /** A decision without holds. */
  static Ruling of(Decision decision) {
    return decision.fold(Admitted::new, Denied::new, NeverAllowed::new);
  }

  /** The refusal of a request that could not be decided on. */
  static Refused undecided(Throwable error) {
    return new Refused(
        error instanceof StoreUnavailableException
            ? ProblemDetails.unavailable()
            : Identities.invalid().problem());
  }

  /** One function for each case. */
  default <T> T fold(
      Function<? super Admitted, ? extends T> admitted,
      Function<? super Denied, ? extends T> denied,
      Function<? super NeverAllowed, ? extends T> never,
      Function<? super Refused, ? extends T> refused) {
    if (this instanceof Admitted a) {
      return admitted.apply(a);
    }
    if (this instanceof Denied d) {
      return denied.apply(d);
    }
    return this instanceof NeverAllowed n ? never.apply(n) : refused.apply((Refused) this);
  }
}
