package io.weir.node.admission;

import io.weir.core.policy.Plan;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The plans of limits that requests carry: one for each limit, so that its requests share the knowledge of its plan, such
 * as the last denials. Bounded: beyond {@value #MOST} different limits it begins anew. Safe for use by many threads.
 *
 * @param <L> a limit
 */
public final class CarriedPlans<L> {
  private static final int MOST = 1000;

  private final Function<L, Plan> compiler;
  private final Map<L, Plan> plans = new ConcurrentHashMap<>();

  /** @param compiler makes the plan of a limit */
  public CarriedPlans(Function<L, Plan> compiler) {
    this.compiler = compiler;
  }

  /** The plan of a limit; throws what the compiler throws. */
  public Plan of(L limit) {
    Plan known = plans.get(limit);
    if (known != null) {
      return known;
    }
    Plan made = compiler.apply(limit);
    if (plans.size() >= MOST) {
      plans.clear();
    }
    Plan other = plans.putIfAbsent(limit, made);
    return other == null ? made : other;
  }
}
