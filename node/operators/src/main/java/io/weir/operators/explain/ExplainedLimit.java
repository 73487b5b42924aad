package io.weir.operators.explain;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.Plan;
import io.weir.node.resp.limit.RequestLimit;
import io.weir.operators.explain.Explained.Holder;
import io.weir.operators.top.LimitScope;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One limit of an explanation. Immutable.
 *
 * @param demand of the operation, if it is a rate
 * @param isOfPlan whether the plan has the limit like this; otherwise an override of the key or its tenant
 * @param isFull whether it has no room for the request
 */
record ExplainedLimit(
    Limit limit, Optional<Demand> demand, boolean isOfPlan, boolean isFull, Explained facts) {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final Duration HALF_SECOND = Duration.ofMillis(500);

  static ExplainedLimit of(Limit limit, Optional<Demand> demand, boolean isFull, Explained facts) {
    boolean isOfPlan = Optional.ofNullable(
            facts.policy().plans().get(facts.decided().subject().plan().name()))
        .filter(plan -> isOf(plan, limit, demand)
            || plan.audited().filter(it -> isOf(it, limit, demand)).isPresent())
        .isPresent();
    return new ExplainedLimit(limit, demand, isOfPlan, isFull, facts);
  }

  private static boolean isOf(Plan plan, Limit limit, Optional<Demand> demand) {
    return demand
        .map(it -> plan.buckets().anyMatch(it.bucket()::equals))
        .orElseGet(() -> plan.kinds()
            .anyMatch(kind -> kind.name().equals(limit.bucket()) && kind.quota() == limit.quota()));
  }

  private boolean isRate() {
    return limit.kind() == Kind.RATE;
  }

  private double percent() {
    double capacity =
        demand.map(it -> (double) it.bucket().capacityUnits()).orElse((double) limit.quota());
    return capacity == 0 ? 100 : 100.0 * limit.usedUnits() / capacity;
  }

  private Optional<Double> opsPerSec() {
    return demand.map(
        it -> it.bucket().unitsPerMicro() * MICROS_PER_SECOND / it.unitsPerOperation());
  }

  // Periods end with a second; the time since the decision would show.
  private Instant resets() {
    Instant resets = facts.now().plus(limit.resetMicros(), ChronoUnit.MICROS);
    return isRate()
        ? resets.truncatedTo(ChronoUnit.MILLIS)
        : resets.plus(HALF_SECOND).truncatedTo(ChronoUnit.SECONDS);
  }

  private long used() {
    return isRate() ? limit.quota() - limit.remaining() : limit.usedUnits();
  }

  private String from() {
    if (limit.bucket().equals(RequestLimit.BUCKET)) {
      return "request";
    }
    return isOfPlan ? "plan" : "override";
  }

  private String fromInWords() {
    String from = from();
    return from.equals("override") ? "override of the key or its tenant" : from;
  }

  private boolean isLeased() {
    return demand.map(Demand::bucket).filter(Bucket::leased).isPresent();
  }

  // One that only warns is never full.
  private boolean isSoft() {
    return LimitScope.isSoft(facts.decided().subject().plan(), limit.bucket());
  }

  /** The requests that hold its permits. */
  List<Holder> holders() {
    return facts.keyStates().holders().getOrDefault(limit.bucket(), List.of());
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("limit", limit.bucket())
        .put("kind", limit.kind().word())
        .put("scope", scope())
        .put("from", from())
        .put("full", isFull)
        .put("capacity", limit.quota())
        .put("used", used())
        .put("usedPercent", Math.round(percent() * 10) / 10.0)
        .put("remaining", limit.remaining());
    if (limit.windowMillis() > 0) {
      json.put(isRate() ? "burstMs" : "periodMs", limit.windowMillis());
    }
    opsPerSec().ifPresent(rate -> json.put("opsPerSec", rate));
    if (limit.resetMicros() > 0) {
      json.put(isRate() ? "emptyAt" : "resetAt", resets().toString());
    }
    if (isLeased()) {
      json.put("leased", true);
    }
    if (isSoft()) {
      json.put("soft", true);
    }
    if (!holders().isEmpty()) {
      JsonArray all = new JsonArray();
      holders()
          .forEach(holder -> all.add(new JsonObject()
              .put("id", holder.id())
              .put("until", holder.until().toString())));
      json.put("holders", all);
    }
    return json;
  }

  String inWords() {
    StringBuilder words = new StringBuilder("%s, %s of the %s, from the %s: %d of %d used (%.1f %%)"
        .formatted(
            limit.bucket(),
            limit.kind().word(),
            scope(),
            fromInWords(),
            used(),
            limit.quota(),
            percent()));
    opsPerSec().ifPresent(rate -> words.append(", refilled at %s/s".formatted(number(rate))));
    if (used() > 0 && limit.resetMicros() > 0) {
      words.append(", all free at ").append(resets());
    }
    if (isLeased()) {
      words.append(", nodes fetch parts of it ahead");
    }
    if (isSoft()) {
      words.append(", it only warns");
    }
    return words.append(isFull ? ". It is full." : ".").toString();
  }

  private static String number(double rate) {
    return rate == Math.rint(rate)
        ? Long.toString(Math.round(rate))
        : String.format(Locale.ROOT, "%.3f", rate);
  }

  private String scope() {
    return limit.scope().name().toLowerCase(Locale.ROOT);
  }
}
