package io.weir.node.hold;

import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Corrects the reservations of callers that name a higher cost than they use: by the moving average of the actual cost
 * of their requests of an operation, as a share of the named cost, in thousandths. The average of this node alone;
 * bounded. Safe for use by many threads.
 */
public final class CostEstimates {
  private static final int MOST = 10_000;
  private static final long WHOLE = 1000;
  private static final long WEIGHT = 8;

  private final Map<List<String>, Long> shares = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<List<String>, Long> eldest) {
      return size() > MOST;
    }
  };

  /** The amount to reserve for a named cost; at least the share that the rule names. */
  public long corrected(Subject subject, String operation, SettleRule rule, long asked) {
    if (rule.leastPercent() == 100) {
      return asked;
    }
    long share = Math.max(rule.leastPercent() * WHOLE / 100, share(subject, operation));
    long whole = asked / WHOLE * share;
    return Math.max(1, whole + (asked % WHOLE * share + WHOLE - 1) / WHOLE);
  }

  private synchronized long share(Subject subject, String operation) {
    return shares.getOrDefault(List.of(subject.id(), operation), WHOLE);
  }

  /** Learns the actual cost of a request. */
  public synchronized void learn(
      Subject subject, String operation, SettleRule rule, long asked, long cost) {
    if (rule.leastPercent() == 100) {
      return;
    }
    long share = cost >= asked ? WHOLE : cost * WHOLE / asked;
    shares.merge(
        List.of(subject.id(), operation),
        (WHOLE * (WEIGHT - 1) + share) / WEIGHT,
        (before, first) -> (before * (WEIGHT - 1) + share) / WEIGHT);
  }
}
