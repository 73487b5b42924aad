package io.weir.core.policy;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.NotConfigured;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.PlansReader.DefinedPlan;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads tenants and subjects, and compiles their plans. */
final class SubjectsReader {
  private static final Field<String> PLAN = Field.name(
      "plan",
      "a plan; a subject's own counts before its tenant's, and that before the one of `defaults`");
  private static final Table DEFAULTS = Table.of("defaults", Scopes.DEFAULT, PLAN);
  static final Field<Section> DEFAULTS_FIELD =
      Field.section("defaults", DEFAULTS, "the scope and the plan of those that name none");
  private static final Table TENANT =
      Table.of("tenant", PLAN).with(Access.FIELDS).with(List.of(OverrideReader.OVERRIDES));
  static final Field<Map<String, Section>> TENANTS =
      Field.byId("tenants", TENANT, "whom keys belong to; default: those that subjects name");
  private static final Field<String> TENANT_OF =
      Field.id("tenant", "the tenant that the key belongs to").required();
  private static final Field<SecretHash> SECRET_HASH = Field.secret(
      "secretHash",
      text -> Optional.of(text).filter(SecretHash::isFormatted).map(SecretHash::parse),
      "sha256:[0-9a-fA-F]{64}",
      "sha256: and 64 hexadecimal digits",
      "hash of the key's secret, as `scripts/weir key ID` makes one; without it the key cannot be used by callers, but"
          + " trusted services can name the subject");
  private static final Table SUBJECT = Table.of("subject", TENANT_OF, PLAN, SECRET_HASH)
      .with(Access.FIELDS)
      .with(List.of(OverrideReader.OVERRIDES));
  static final Field<Map<String, Section>> SUBJECTS =
      Field.byId("subjects", SUBJECT, "the keys, by their ids");

  private final Map<String, DefinedPlan> plans;
  private final OverrideReader overrides;
  private final Set<String> unlimitedOperations;
  private final boolean allowUnlisted;
  private final Set<String> usedPlans = new HashSet<>();
  private final Map<List<Object>, Plan> compiled = new HashMap<>();

  SubjectsReader(
      Map<String, DefinedPlan> plans,
      OverrideReader overrides,
      Set<String> unlimitedOperations,
      boolean allowUnlisted) {
    this.plans = plans;
    this.overrides = overrides;
    this.unlimitedOperations = unlimitedOperations;
    this.allowUnlisted = allowUnlisted;
  }

  /** Reads all subjects and refuses unused plans. */
  Subjects read(Section root) {
    Optional<String> defaultPlan = defaultPlan(root);
    Map<String, Tenant> tenants = tenants(root);
    Map<String, Subject> subjects = new LinkedHashMap<>();
    Set<String> inhabited = new HashSet<>();
    root.get(SUBJECTS).forEach((id, section) -> {
      Optional<Tenant> tenant = tenant(root, section, tenants);
      tenant.ifPresentOrElse(
          t -> inhabited.add(t.name()),
          // A wrong tenant does not make its plan unused.
          () -> planName(section).ifPresent(usedPlans::add));
      tenant.flatMap(t -> subject(id, section, t, defaultPlan)).ifPresent(s -> subjects.put(id, s));
    });
    tenants.values().stream()
        .filter(tenant -> !inhabited.contains(tenant.name()))
        .flatMap(tenant -> tenant.section().stream())
        .forEach(section -> section.warning("tenant_unused", "no subject belongs to it"));
    findUnused();
    return new Subjects(subjects, defaultPlan.map(plans::get).map(this::compileBare), compileAll());
  }

  private Optional<String> defaultPlan(Section root) {
    Optional<String> named = root.find(DEFAULTS_FIELD).flatMap(this::planName);
    Optional<String> only = plans.values().stream()
        .filter(DefinedPlan::implicit)
        .map(DefinedPlan::name)
        .findFirst();
    named.or(() -> only).ifPresent(usedPlans::add);
    return named.or(() -> only);
  }

  private Optional<String> planName(Section section) {
    return section.find(
        PLAN, plans::containsKey, "one of the plans " + String.join(", ", plans.keySet()));
  }

  private Map<String, Tenant> tenants(Section root) {
    Map<String, Tenant> tenants = new LinkedHashMap<>();
    root.get(TENANTS).forEach((name, section) -> {
      Optional<String> plan = planName(section);
      plan.ifPresent(usedPlans::add);
      Access access = Access.read(section);
      tenants.put(name, new Tenant(name, Optional.of(section), plan, access));
    });
    return tenants;
  }

  private Optional<Tenant> tenant(Section root, Section section, Map<String, Tenant> tenants) {
    Optional<String> name = section.find(TENANT_OF);
    if (!root.has("tenants")) {
      return name.map(n -> new Tenant(n, Optional.empty(), Optional.empty(), Access.LIMITED));
    }
    if (name.isPresent() && !tenants.containsKey(name.get())) {
      section.error(
          "tenant_unknown", "tenant", "'%s' (expected: one of the tenants)".formatted(name.get()));
    }
    return name.map(tenants::get);
  }

  private Optional<Subject> subject(
      String id, Section section, Tenant tenant, Optional<String> defaultPlan) {
    Optional<String> own = planName(section);
    Access access = Access.read(section);
    Optional<SecretHash> hash = section.find(SECRET_HASH);
    boolean overridden = section.has("overrides");
    DefinedPlan plan =
        own.or(tenant::plan).or(() -> defaultPlan).map(plans::get).orElse(null);
    if (plan == null) {
      section.error("plan_missing", "no plan (expected: one here, of its tenant or in defaults)");
      return Optional.empty();
    }
    usedPlans.add(plan.name());
    Access effective = access.or(tenant.access()).or(plan.access());
    if (overridden && effective != Access.LIMITED) {
      section.warning(
          "override_without_effect", "overrides", "no limit applies to this subject at all");
    }
    Plan limits = overridden
        ? compile(plan, effective, overrides.applyAll(section, draft(plan, tenant), Scope.KEY))
        : compiled.computeIfAbsent(
            List.of(plan.name(), tenant.name(), effective),
            key -> compile(plan, effective, draft(plan, tenant)));
    return Optional.of(new Subject(id, tenant.name(), limits, hash));
  }

  private PlanDraft draft(DefinedPlan plan, Tenant tenant) {
    if (tenant.section().isEmpty()) {
      return plan.draft();
    }
    return tenant
        .drafts()
        .computeIfAbsent(
            plan.name(),
            name -> overrides.applyAll(tenant.section().get(), plan.draft(), Scope.TENANT));
  }

  private Plan compileBare(DefinedPlan plan) {
    return compile(plan, plan.access(), plan.draft());
  }

  private Map<String, Plan> compileAll() {
    Map<String, Plan> all = new LinkedHashMap<>();
    plans.forEach((name, plan) -> all.put(name, compileBare(plan)));
    return all;
  }

  private Plan compile(DefinedPlan plan, Access access, PlanDraft draft) {
    OperationLimit unlisted = allowUnlisted ? new Unlimited() : new NotConfigured();
    return switch (access) {
      case LIMITED ->
        draft.compile(plan.name(), unlimitedOperations, unlisted, plan.slots(), plan.failureMode());
      case UNLIMITED ->
        new Plan(plan.name(), Map.of(), new Unlimited(), plan.slots(), plan.failureMode());
      case FROZEN ->
        new Plan(plan.name(), Map.of(), new Frozen(), plan.slots(), plan.failureMode());
    };
  }

  private void findUnused() {
    plans.values().stream()
        .filter(plan -> !usedPlans.contains(plan.name()))
        .forEach(plan -> plan.section()
            .error(
                "plan_unused",
                "no subject, tenant or default has the plan %s".formatted(plan.name())));
  }

  /**
   * A tenant of the policy.
   *
   * @param section its place in the document; empty if the policy lists no tenants
   * @param drafts the plans with the tenant's overrides, by name; filled as subjects use them
   */
  private record Tenant(
      String name,
      Optional<Section> section,
      Optional<String> plan,
      Access access,
      Map<String, PlanDraft> drafts) {

    Tenant(String name, Optional<Section> section, Optional<String> plan, Access access) {
      this(name, section, plan, access, new HashMap<>());
    }
  }

  /** All subjects. */
  record Subjects(Map<String, Subject> byId, Optional<Plan> defaultPlan, Map<String, Plan> plans) {}
}
