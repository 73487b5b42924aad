package io.weir.node.admission;

import java.util.function.Function;

/** The result of admission: the request passes, or is refused. */
public sealed interface Ruling permits Admitted, Refusal {
  /** One function for each case. */
  default <T> T fold(
      Function<? super Admitted, ? extends T> admitted,
      Function<? super Refusal, ? extends T> refused) {
    return this instanceof Admitted passing
        ? admitted.apply(passing)
        : refused.apply((Refusal) this);
  }
}
