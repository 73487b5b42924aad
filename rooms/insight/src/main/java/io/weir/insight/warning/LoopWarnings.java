package io.weir.insight.warning;

import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.node.admission.Witness.Question;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds limits that reach a percentage, among the decisions of one event loop. A percentage is told when it is reached;
 * it is told again if the limit was {@value WarningRule#HYSTERESIS} points below it in between, or a new period has
 * begun, and not before the rule's time is over. Mutable; owned by that event loop.
 */
final class LoopWarnings {
  /** The limits whose state is known at once; the one that was not seen for the longest time is forgotten. */
  static final int MOST = 4096;

  private static final int WHOLE = 100;

  private final Predicate<Warning> tell;
  private final Map<Place, Fill> fills = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Place, Fill> eldest) {
      return size() > MOST;
    }
  };

  private long revision;
  private List<WarningRule> rules = List.of();

  /** @param tell tells a warning; false if it could not, and is to be asked again */
  LoopWarnings(Predicate<Warning> tell) {
    this.tell = tell;
  }

  private record Place(String rule, String owner, String limit) {}

  /** What is known of a limit. */
  private static final class Fill {
    /** The highest percentage that was reached, and has not been left since. */
    private int level;

    private long seenNanos;
    /** When each percentage may be told again. */
    private final Map<Integer, Long> quietUntil = new HashMap<>(4);
  }

  /** Sees the limits of a decision. */
  void told(Question question, List<Limit> limits, PolicyRevision inForce, long nowNanos) {
    if (inForce.revision() != revision) {
      revision = inForce.revision();
      rules = WarningRules.of(inForce.policy());
    }
    for (WarningRule rule : rules) {
      if (rule.isOf(question.subject())) {
        for (Limit limit : limits) {
          if (limit.kind() != Kind.CONGESTION && rule.isOf(limit.bucket())) {
            look(rule, question, limit, nowNanos);
          }
        }
      }
    }
  }

  private void look(WarningRule rule, Question question, Limit limit, long nowNanos) {
    Subject subject = question.subject();
    int percent = percent(limit);
    int reached = rule.reached(percent);
    Place place = new Place(rule.name(), Warning.owner(subject, limit.scope()), limit.bucket());
    Fill fill = fills.get(place);
    if (fill == null) {
      if (reached == 0) {
        return;
      }
      fill = new Fill();
      fills.put(place, fill);
    } else if (nowNanos - fill.seenNanos > rule.again().toNanos()) {
      fill.level = 0; // others may have seen it empty meanwhile
    }
    fill.seenNanos = nowNanos;
    fill.level = Math.min(fill.level, rule.reached(percent + WarningRule.HYSTERESIS - 1));
    if (reached > fill.level) {
      tell(fill, new Warning(rule, reached, percent, limit, question), nowNanos);
    } else if (fill.level == 0 && isQuiet(fill, nowNanos)) {
      fills.remove(place);
    }
  }

  private void tell(Fill fill, Warning warning, long nowNanos) {
    Long quiet = fill.quietUntil.get(warning.at());
    if (quiet != null && nowNanos - quiet < 0) {
      fill.level = warning.at();
    } else if (tell.test(warning)) {
      fill.level = warning.at();
      fill.quietUntil.put(warning.at(), nowNanos + warning.lasts().toNanos());
    }
  }

  private static boolean isQuiet(Fill fill, long nowNanos) {
    return fill.quietUntil.values().stream().allMatch(until -> nowNanos - until >= 0);
  }

  private static int percent(Limit limit) {
    if (limit.remaining() <= 0 || limit.quota() <= 0) {
      return WHOLE;
    }
    double used = (double) (limit.quota() - limit.remaining()) / limit.quota();
    return (int) Math.min(WHOLE - 1, Math.max(0, used * WHOLE));
  }
}
