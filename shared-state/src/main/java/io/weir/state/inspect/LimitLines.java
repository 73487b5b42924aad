package io.weir.state.inspect;

import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.Plan;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sizes of the quotas and permits of plans, as text for {@code lua/show.lua}: counters have the use, not the limit.
 * No decision depends on it.
 */
public final class LimitLines {
  private static final int AT_MOST = 1000;
  private static final long SEVERAL = 0;

  private LimitLines() {}

  /**
   * One line {@code <limit> quota <operations>} or {@code <limit> permits <requests>} for each limit, with 0 if it
   * differs between the plans; those beyond the thousandth are left out.
   */
  public static String of(Stream<Plan> plans) {
    Map<String, Long> limits = new LinkedHashMap<>();
    plans
        .flatMap(Plan::kinds)
        .filter(demand -> demand instanceof Quota || demand instanceof Permits)
        .forEach(demand -> limits.merge(
            demand.name() + (demand instanceof Quota ? " quota " : " permits "),
            demand.quota(),
            (one, other) -> one.equals(other) ? one : Long.valueOf(SEVERAL)));
    return limits.entrySet().stream()
        .limit(AT_MOST)
        .map(entry -> entry.getKey() + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  /** The names of all permits of a plan. */
  static Stream<String> permits(Stream<Plan> plans) {
    return plans
        .flatMap(Plan::kinds)
        .filter(Permits.class::isInstance)
        .map(KindDemand::name)
        .distinct();
  }
}
