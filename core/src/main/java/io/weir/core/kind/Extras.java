package io.weir.core.kind;

import java.util.List;
import java.util.Optional;

/**
 * The part of a charge besides rates.
 *
 * @param demands one for each limit, with distinct names
 * @param hold the holder of the permits, and whether the charge is recorded; required if permits are demanded
 */
public record Extras(List<KindDemand> demands, Optional<Hold> hold) {

  /** No extras: only rates. */
  public static final Extras NONE = new Extras(List.of(), Optional.empty());

  public Extras {
    if (hold.isEmpty() && demands.stream().anyMatch(Permits.class::isInstance)) {
      throw new IllegalArgumentException("hold: none (expected: one, for the permits)");
    }
  }

  /** Whether there are only rates. */
  public boolean isEmpty() {
    return demands.isEmpty() && hold.isEmpty();
  }
}
