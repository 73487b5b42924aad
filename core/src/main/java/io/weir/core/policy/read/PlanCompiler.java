package io.weir.core.policy.read;

import static java.util.Objects.requireNonNull;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.Access;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.NotConfigured;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.SubjectCompiler;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.core.policy.read.PlansReader.DefinedPlan;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Sequence;
import io.weir.core.policy.schema.Position;
import io.weir.core.policy.schema.Problems;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Compiles plans for subjects, by the plans and tenants of a policy. Subjects without overrides share their plan. */
final class PlanCompiler implements SubjectCompiler {
  private static final int MOST_SHARED = 10_000;
  private static final Table ENTRY = Table.of("entry").with(List.of(OverrideReader.OVERRIDES));

  private final Map<String, PlanTerms> plans = new HashMap<>();
  private final Map<String, TenantEntry> tenants;
  private final OverrideReader overrides;
  private final Set<String> unlimitedOperations;
  private final OperationLimit unlisted;
  private final Optional<String> defaultPlan;
  private final Map<List<Object>, Plan> shared = new ConcurrentHashMap<>();

  /** @param tenants those that the policy lists */
  PlanCompiler(
      Map<String, DefinedPlan> plans,
      Map<String, TenantEntry> tenants,
      OverrideReader overrides,
      Set<String> unlimitedOperations,
      boolean allowUnlisted,
      Optional<String> defaultPlan) {
    plans.forEach((name, plan) -> this.plans.put(name, plan.terms()));
    this.tenants = Map.copyOf(tenants);
    this.overrides = overrides;
    this.unlimitedOperations = unlimitedOperations;
    this.unlisted = allowUnlisted ? new Unlimited() : new NotConfigured();
    this.defaultPlan = defaultPlan;
  }

  private TenantEntry tenant(SubjectEntry entry) {
    return tenants.getOrDefault(entry.tenant(), entry.ofTenant());
  }

  @Override
  public Optional<String> planName(SubjectEntry entry) {
    return entry.plan().or(tenant(entry)::plan).or(() -> defaultPlan);
  }

  @Override
  public boolean listsTenant(String name) {
    return tenants.containsKey(name);
  }

  @Override
  public NamesInUse names() {
    Map<String, Optional<String>> planOfTenant = new HashMap<>();
    tenants.forEach((tenant, settings) -> planOfTenant.put(tenant, settings.plan()));
    Map<String, Set<List<Object>>> targets = new HashMap<>();
    plans.forEach((name, plan) -> targets.put(name, plan.draft().targets()));
    return new NamesInUse(defaultPlan, planOfTenant, targets);
  }

  @Override
  public Compiled compile(SubjectEntry entry) {
    Problems problems = new Problems(entry.id());
    Optional<PlanTerms> plan = planName(entry).map(plans::get);
    return new Compiled(plan.map(terms -> compile(entry, terms, problems)), problems.all());
  }

  private Plan compile(SubjectEntry entry, PlanTerms plan, Problems problems) {
    TenantEntry tenant = tenant(entry);
    EffectiveAccess access = EffectiveAccess.of(entry.access(), tenant.access(), plan.access());
    return entry.overrides().isEmpty()
        ? shared(plan, access, tenant, problems)
        : compile(
            plan,
            access,
            applied(entry.overrides(), draft(plan, tenant, problems), Scope.KEY, problems));
  }

  /** The plan of subjects for whom no plan is named. */
  Optional<Plan> defaultPlan() {
    return defaultPlan.map(this::withoutOverrides);
  }

  /** The plans of subjects without overrides, by name. */
  Map<String, Plan> withoutOverrides() {
    return plans.keySet().stream().collect(Collectors.toMap(name -> name, this::withoutOverrides));
  }

  private Plan withoutOverrides(String plan) {
    EffectiveAccess access = EffectiveAccess.ofPlan(terms(plan).access());
    return shared(plan, access, TenantEntry.NONE);
  }

  /** The plan of subjects without overrides of their own. */
  Plan shared(String plan, EffectiveAccess access, TenantEntry tenant) {
    return shared(terms(plan), access, tenant, new Problems(plan));
  }

  /** A plan of one subject. */
  Plan own(String plan, EffectiveAccess access, PlanDraft draft) {
    return compile(terms(plan), access, draft);
  }

  private PlanTerms terms(String plan) {
    return requireNonNull(plans.get(plan), plan);
  }

  private Plan shared(
      PlanTerms plan, EffectiveAccess access, TenantEntry tenant, Problems problems) {
    if (tenant.overrides().isEmpty()) {
      return shared.computeIfAbsent(
          List.of(plan.name(), access), key -> compile(plan, access, plan.draft()));
    }
    List<Object> key = List.of(plan.name(), access, tenant);
    Plan known = shared.get(key);
    if (known != null) {
      return known;
    }
    Plan made = compile(plan, access, draft(plan, tenant, problems));
    if (shared.size() < MOST_SHARED && problems.all().isEmpty()) {
      shared.put(key, made);
    }
    return made;
  }

  private PlanDraft draft(PlanTerms plan, TenantEntry tenant, Problems problems) {
    return tenant.overrides().isEmpty()
        ? plan.draft()
        : applied(tenant.overrides(), plan.draft(), Scope.TENANT, problems);
  }

  private PlanDraft applied(
      List<DocumentValue> list, PlanDraft draft, Scope scope, Problems problems) {
    Mapping document =
        new Mapping(Position.START, Map.of("overrides", new Sequence(Position.START, list)));
    return overrides.applyAll(Section.root(document, problems, ENTRY), draft, scope);
  }

  private Plan compile(PlanTerms plan, EffectiveAccess access, PlanDraft draft) {
    if (access.frozen().isPresent()) {
      return withoutLimits(plan, new Frozen(access.frozen().get()));
    }
    return access.access() == Access.UNLIMITED
        ? withoutLimits(plan, new Unlimited())
        : limited(plan, draft);
  }

  // The enforced plan leaves out limits that are only audited.
  private Plan limited(PlanTerms plan, PlanDraft draft) {
    Plan whole = compiled(plan, draft, unlimitedOperations);
    if (plan.mode() == LimitMode.AUDIT) {
      return withoutLimits(plan, new Unlimited()).auditing(whole);
    }
    if (!draft.isAudited()) {
      return whole;
    }
    PlanDraft enforced = draft.enforced();
    PlanDraft audited = draft.audited();
    Set<String> unlimited = new HashSet<>(draft.operations());
    unlimited.removeAll(enforced.operations());
    unlimited.addAll(unlimitedOperations);
    return compiled(plan, enforced, unlimited)
        .auditing(audited.compile(
            plan.name(), Set.of(), new Unlimited(), plan.slots(), plan.failureMode()));
  }

  private Plan compiled(PlanTerms plan, PlanDraft draft, Set<String> unlimited) {
    return draft.compile(plan.name(), unlimited, unlisted, plan.slots(), plan.failureMode());
  }

  private static Plan withoutLimits(PlanTerms plan, OperationLimit limit) {
    return new Plan(plan.name(), Map.of(), limit, plan.slots(), plan.failureMode());
  }
}
