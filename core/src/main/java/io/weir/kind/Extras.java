package io.weir.kind;

import java.util.List;
import java.util.Optional;

/**
 * The part of a charge that is not about rates.
 *
 * @param demands one for each limit; none of two has the same name
 * @param hold who holds the permits, and whether what is taken is recorded; needed where permits are demanded
 */
public record Extras(List<KindDemand> demands, Optional<Hold> hold) {

  /** Rates alone. */
  public static final Extras NONE = new Extras(List.of(), Optional.empty());

  public Extras {
    if (hold.isEmpty() && demands.stream().anyMatch(Permits.class::isInstance)) {
      throw new IllegalArgumentException("hold: none (expected: one, for the permits)");
    }
  }

  /** Whether there is nothing but rates. */
  public boolean isEmpty() {
    return demands.isEmpty() && hold.isEmpty();
  }
}
