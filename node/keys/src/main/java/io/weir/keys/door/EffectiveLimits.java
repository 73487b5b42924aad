package io.weir.keys.door;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Bucket;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.keys.directory.Subjects;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.record.TimedOverride;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The limits of a key as they are in force, each with its source: the plan, the tenant or an override of the key. */
final class EffectiveLimits {
  private final Policy policy;
  private final SubjectEntry asked;
  private final StoredRecord key;
  private final Optional<StoredRecord> tenant;
  private final long nowMillis;

  EffectiveLimits(Policy policy, StoredRecord key, Optional<StoredRecord> tenant, long nowMillis) {
    this.policy = policy;
    this.key = key;
    this.tenant = tenant;
    this.nowMillis = nowMillis;
    this.asked = Subjects.entry(key, tenant, nowMillis);
  }

  /** Adds the members of {@link PlanInForce}, and {@code limits} and {@code problems}. */
  void addTo(JsonObject json) {
    Compiled compiled = policy.compile(asked);
    PlanInForce.addTo(json, policy, key, tenant, nowMillis);
    JsonArray problems = new JsonArray();
    compiled.problems().forEach(problem -> problems.add(problem.message()));
    if (compiled.plan().isEmpty()) {
      problems.add("the policy in force has no plan for the key");
    }
    json.put("limits", compiled.plan().map(this::limits).orElseGet(JsonArray::new));
    json.put("problems", problems);
  }

  private JsonArray limits(Plan plan) {
    Known ofPlan = known(TenantEntry.NONE);
    Known ofTenant = known(asked.ofTenant());
    TreeMap<String, JsonObject> limits = new TreeMap<>();
    plan.buckets().distinct().forEach(bucket -> {
      String from = ofPlan.buckets().contains(bucket)
          ? "plan"
          : ofTenant.buckets().contains(bucket) ? "tenant" : "override";
      limits.put(
          bucket.scope() + bucket.name(),
          limit(bucket.name(), bucket.scope().name(), from)
              .put("opsPerSec", bucket.rate().opsPerSec())
              .put("burstMs", bucket.burstMillis()));
    });
    plan.kinds().distinct().forEach(kind -> {
      String from = ofPlan.kinds().contains(kind)
          ? "plan"
          : ofTenant.kinds().contains(kind) ? "tenant" : "override";
      limits.put(
          kind.scope() + kind.name(),
          limit(kind.name(), kind.scope().name(), from).put("limit", kind.quota()));
    });
    return new JsonArray(List.copyOf(limits.values()));
  }

  private JsonObject limit(String name, String scope, String from) {
    JsonObject json = new JsonObject()
        .put("name", name)
        .put("scope", scope.toLowerCase(Locale.ROOT))
        .put("from", from);
    overrides(from)
        .filter(override -> override.isInForceAt(nowMillis) && names(override, name))
        .findFirst()
        .map(TimedOverride::untilMillis)
        .filter(OptionalLong::isPresent)
        .ifPresent(
            until -> json.put("until", Instant.ofEpochMilli(until.getAsLong()).toString()));
    return json;
  }

  private Stream<TimedOverride> overrides(String from) {
    return switch (from) {
      case "override" -> key.settings().overrides().stream();
      case "tenant" -> tenant.stream().flatMap(it -> it.settings().overrides().stream());
      default -> Stream.empty();
    };
  }

  private static boolean names(TimedOverride override, String limit) {
    JsonObject fields = override.fields();
    return limit.equals(fields.getValue("bucket"))
        || limit.equals(fields.getValue("limits"))
        || limit.equals("op:" + fields.getValue("operation"));
  }

  /** The limits that a key has without its own overrides. */
  private record Known(Set<Bucket> buckets, Set<KindDemand> kinds) {}

  private Known known(TenantEntry tenant) {
    Optional<Plan> plan = policy
        .compile(new SubjectEntry(
            asked.id(), asked.tenant(), policy.planName(asked), asked.access(), List.of(), tenant))
        .plan();
    Set<Bucket> buckets = new HashSet<>();
    Set<KindDemand> kinds = new HashSet<>();
    plan.ifPresent(it -> {
      it.buckets().forEach(buckets::add);
      it.kinds().forEach(kinds::add);
    });
    return new Known(buckets, kinds);
  }
}
