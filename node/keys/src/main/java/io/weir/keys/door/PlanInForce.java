package io.weir.keys.door;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.keys.directory.Subjects;
import io.weir.keys.record.Settings;
import io.weir.keys.record.StoredRecord;
import java.util.Optional;

/** The plan that a key has, and by which record or policy. */
final class PlanInForce {
  private PlanInForce() {}

  /** Adds the members {@code planInForce} and {@code planFrom}; neither if the policy has no plan for the key. */
  static JsonObject addTo(
      JsonObject json,
      Policy policy,
      StoredRecord key,
      Optional<StoredRecord> tenant,
      long nowMillis) {
    boolean isOfTenant =
        tenant.map(StoredRecord::settings).flatMap(Settings::plan).isPresent();
    String from = key.settings().plan().isPresent() ? "key" : isOfTenant ? "tenant" : "policy";
    policy
        .planName(Subjects.entry(key, tenant, nowMillis))
        .ifPresent(name -> json.put("planInForce", name).put("planFrom", from));
    return json;
  }
}
