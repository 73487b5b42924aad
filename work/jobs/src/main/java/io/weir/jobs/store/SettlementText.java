package io.weir.jobs.store;

import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Ending.Settled;
import io.weir.jobs.rule.JobSettlement;
import java.util.List;
import java.util.Optional;

/** Settlements of jobs as {@code lib/job_charge.lua} writes them. */
final class SettlementText {
  private static final String CANCELLED = "cancelled";

  private SettlementText() {}

  /** The cost that an end says; empty if its sender does not know. */
  static String cost(Optional<Ending> ending) {
    return ending.map(SettlementText::cost).orElse("");
  }

  private static String cost(Ending ending) {
    return ending instanceof Settled settled ? Long.toString(settled.cost()) : CANCELLED;
  }

  static String of(JobSettlement settlement) {
    return String.join(
        " ",
        settlement.hold(),
        settlement.tenant(),
        settlement.subject(),
        cost(settlement.ending()));
  }

  /** The settlements in these lines. */
  static List<JobSettlement> parse(String lines) {
    return lines.lines().map(SettlementText::one).toList();
  }

  private static JobSettlement one(String line) {
    String[] parts = line.split(" ", -1);
    Ending ending =
        parts[3].equals(CANCELLED) ? new Ending.Cancelled() : new Settled(Long.parseLong(parts[3]));
    return new JobSettlement(parts[0], parts[1], parts[2], ending);
  }
}
