package io.weir.core.policy.read;

import io.weir.core.policy.Access;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.core.policy.schema.Section;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A tenant of the policy. Mutable; lives for one reading.
 *
 * @param section its place in the document; empty if the policy lists no tenants
 * @param drafts the plans with the tenant's overrides, by name; filled as subjects use them
 */
record DefinedTenant(
    String name,
    Optional<Section> section,
    Optional<String> plan,
    Access access,
    Map<String, PlanDraft> drafts) {

  DefinedTenant(String name, Optional<Section> section, Optional<String> plan, Access access) {
    this(name, section, plan, access, new HashMap<>());
  }

  TenantEntry entry() {
    return new TenantEntry(
        plan, access, section.map(it -> it.items("overrides")).orElse(List.of()));
  }
}
