package io.weir.operators.warning;

import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.PolicyRevision;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.top.LimitFill;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Finds limits that reach a percentage, among the decisions of one event loop. A percentage is told when it is reached;
 * it is told again if the limit was {@value WarningRule#HYSTERESIS} points below it in between, or a new period has
 * begun, and not before the rule's time is over. Mutable; owned by that event loop.
 */
final class LoopWarnings {
  private final Predicate<Warning> send;
  private final Fills fills = new Fills();
  private long revision;
  private List<WarningRule> rules = List.of();

  /** @param send tells a warning, or finds out that another node does; false if it cannot, and is to be asked again */
  LoopWarnings(Predicate<Warning> send) {
    this.send = send;
  }

  /** The knowledge about a limit. */
  static final class Fill {
    /** The highest percentage that was told, and has not been left since. */
    private int level;

    private long seenNanos;
    private long endsNanos;
    /** When each percentage may be told again. */
    private final Map<Integer, Long> quietUntil = new HashMap<>(4);

    private boolean isQuiet(int at, long nowNanos) {
      Long until = quietUntil.get(at);
      return until != null && nowNanos - until < 0;
    }

    private boolean isQuiet(long nowNanos) {
      return quietUntil.keySet().stream().anyMatch(at -> isQuiet(at, nowNanos));
    }
  }

  /** Whether the policy in force warns at all. */
  boolean hasRules(PolicyRevision inForce) {
    return !rules(inForce).isEmpty();
  }

  private List<WarningRule> rules(PolicyRevision inForce) {
    if (inForce.revision() != revision) {
      revision = inForce.revision();
      rules = WarningRules.of(inForce.policy());
    }
    return rules;
  }

  /** Sees the limits of a decision. */
  void answered(Question question, List<Limit> limits, PolicyRevision inForce, long nowNanos) {
    for (WarningRule rule : rules(inForce)) {
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
    int percent = LimitFill.percent(limit);
    int reached = rule.reached(percent);
    Warning now = new Warning(rule, Math.max(1, reached), percent, limit, question);
    Fill fill = fills.get(now);
    if (fill == null) {
      if (reached == 0) {
        return;
      }
      fill = fills.put(now);
    } else if (isAnew(fill, now, nowNanos)) {
      fill.level = 0;
    }
    fill.seenNanos = nowNanos;
    fill.endsNanos = nowNanos + TimeUnit.MICROSECONDS.toNanos(limit.resetMicros());
    fill.level = Math.min(fill.level, rule.reached(percent + WarningRule.HYSTERESIS - 1));
    if (reached > fill.level) {
      send(fill, now, nowNanos);
    } else if (fill.level == 0 && !fill.isQuiet(nowNanos)) {
      fills.remove(now);
    }
  }

  // In a new period of a quota, or after a time in which others may have seen the limit empty.
  private static boolean isAnew(Fill fill, Warning now, long nowNanos) {
    boolean isNextPeriod = now.limit().kind() == Kind.QUOTA && nowNanos - fill.endsNanos >= 0;
    return isNextPeriod || nowNanos - fill.seenNanos > now.rule().again().toNanos();
  }

  // While a percentage is quiet, nothing is noted: it is told afterwards, if the limit is full
  // still.
  private void send(Fill fill, Warning warning, long nowNanos) {
    if (!fill.isQuiet(warning.at(), nowNanos) && send.test(warning)) {
      fill.level = warning.at();
      fill.quietUntil.put(warning.at(), nowNanos + warning.lasts().toNanos());
    }
  }

  /** Another node has told a warning: it may be told again after this time. */
  void sentElsewhere(Warning warning, long untilNanos) {
    Fill fill = fills.get(warning);
    if (fill != null) {
      fill.quietUntil.put(warning.at(), untilNanos);
    }
  }

  /** A warning was not told by anybody: the next decision tells it. */
  void notSent(Warning warning) {
    Fill fill = fills.get(warning);
    if (fill != null) {
      fill.level = 0;
      fill.quietUntil.remove(warning.at());
    }
  }
}
