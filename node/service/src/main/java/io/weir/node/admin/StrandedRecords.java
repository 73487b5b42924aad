package io.weir.node.admin;

import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The records of keys and tenants that a policy would leave without limits.
 *
 * @param plans the number of records by the name of the plan that they would miss; empty for the default plan
 * @param overrides the number of records by the reason why their overrides would not fit
 * @param read the number of records that were looked at
 * @param isWhole whether these were all
 */
public record StrandedRecords(
    Map<String, Long> plans, Map<String, Long> overrides, long read, boolean isWhole) {
  static final StrandedRecords NONE = new StrandedRecords(Map.of(), Map.of(), 0, true);

  public StrandedRecords {
    plans = Map.copyOf(plans);
    overrides = Map.copyOf(overrides);
  }

  /** Whether no record would be. */
  public boolean isEmpty() {
    return plans.isEmpty() && overrides.isEmpty();
  }

  /** The refusal of the policy: 409. */
  ProblemDetails problem() {
    return ProblemDetails.of(
            409,
            "records_stranded",
            "Stored keys or tenants would lose limits; force=true (--force) does it anyway")
        .with("errors", lines())
        .with("plans", new JsonObject(new TreeMap<>(plans)))
        .with("read", read)
        .with("isWhole", isWhole);
  }

  /** The losses, in words. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    new TreeMap<>(plans)
        .forEach((plan, count) ->
            lines.add("%s: records that would have no plan: %d".formatted(planName(plan), count)));
    new TreeMap<>(overrides)
        .forEach((reason, count) -> lines.add("overrides that would not count, of %d %s: %s"
            .formatted(count, count == 1 ? "record" : "records", reason)));
    if (!isWhole) {
      lines.add("only the first %d records were read: there may be more".formatted(read));
    }
    return lines;
  }

  private static String planName(String plan) {
    return plan.isEmpty() ? "the default plan" : "the plan " + plan;
  }
}
