package io.weir.jobs.store;

import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.rule.JobSubmission;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What becomes of the charges of jobs that have ended, until a node has carried it out. Mutable; owned by its queue. */
final class ModelSettlements {
  private static final long CARRIED_OUT = 10_000_000;
  private static final int AT_ONCE = 100;

  /** By their texts: the instant at which they are due. */
  private final Map<String, Long> due = new TreeMap<>();

  void leave(JobSubmission of, Ending ending, long now) {
    of.charge()
        .map(hold -> new JobSettlement(hold, of.name().tenant(), of.name().subject(), ending))
        .ifPresent(settlement -> due.put(SettlementText.of(settlement), now));
  }

  List<JobSettlement> due(long now) {
    List<String> texts = due.entrySet().stream()
        .filter(one -> one.getValue() <= now)
        .sorted(Comparator.comparingLong(Map.Entry::getValue))
        .map(Map.Entry::getKey)
        .limit(AT_ONCE)
        .toList();
    texts.forEach(text -> due.put(text, now + CARRIED_OUT));
    return SettlementText.parse(String.join("\n", texts));
  }

  void remove(List<JobSettlement> done) {
    done.forEach(settlement -> due.remove(SettlementText.of(settlement)));
  }
}
