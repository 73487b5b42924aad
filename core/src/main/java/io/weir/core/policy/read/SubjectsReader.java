package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.Access;
import io.weir.core.policy.Plan;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.core.policy.SubjectPattern;
import io.weir.core.policy.SubjectRule;
import io.weir.core.policy.read.PlansReader.DefinedPlan;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads tenants and subjects, and compiles their plans. */
final class SubjectsReader {
  private static final int MAX_NAMED = 20;
  private static final Field<String> PLAN = Field.name(
      "plan",
      "a plan; a subject's own takes precedence over its tenant's, and that over the one of `defaults`");
  private static final Table DEFAULTS = Table.of("defaults", Scopes.DEFAULT, PLAN);
  static final Field<Section> DEFAULTS_FIELD = Field.section(
      "defaults", DEFAULTS, "the scope of limits and the plan of subjects that name none");
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
  private static final Field<String> ID = Field.id("id", "the id of a key; or `match`");
  private static final Field<SubjectPattern> MATCH = Field.parsed(
      "match",
      SubjectPattern::parse,
      SubjectPattern.FORM,
      "1 to 128 visible characters, `*` for any",
      "the names of subjects without a record, such as `user:*`; the first rule that matches counts");
  private static final Table ITEM = Table.of(
          "subjectOrRule", ID, MATCH, TENANT_OF, PLAN, SECRET_HASH)
      .with(Access.FIELDS)
      .with(List.of(OverrideReader.OVERRIDES));
  private static final Field<Map<String, Section>> BY_ID = Field.byId("subjects", SUBJECT, "");
  private static final Field<List<Section>> LISTED = Field.sections("subjects", ITEM, "");
  static final Field<Object> SUBJECTS = Field.oneOf(
      "subjects",
      "the keys, by their ids; or a list of keys (`id`) and of rules for subjects without a record (`match`)",
      BY_ID,
      LISTED);

  private final Map<String, DefinedPlan> plans;
  private final OverrideReader overrides;
  private final Set<String> unlimitedOperations;
  private final boolean allowUnlisted;
  private final Set<String> usedPlans = new HashSet<>();

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

  /** Reads all subjects and rules. */
  Subjects read(Section root) {
    Optional<String> defaultPlan = defaultPlan(root);
    Map<String, DefinedTenant> tenants = tenants(root);
    Map<String, TenantEntry> entries = new HashMap<>();
    tenants.forEach((name, tenant) -> entries.put(name, tenant.entry()));
    PlanCompiler compiler = new PlanCompiler(
        plans, entries, overrides, unlimitedOperations, allowUnlisted, defaultPlan);
    Map<String, Subject> subjects = new LinkedHashMap<>();
    List<SubjectRule> rules = new ArrayList<>();
    Set<String> inhabited = new HashSet<>();
    for (Given given : given(root)) {
      Section section = given.section();
      Optional<DefinedTenant> tenant = tenant(root, section, tenants);
      tenant.ifPresentOrElse(
          t -> inhabited.add(t.name()),
          // A wrong tenant does not make its plan unused.
          () -> planName(section).ifPresent(usedPlans::add));
      Optional<Plan> plan = tenant.flatMap(t -> plan(section, t, defaultPlan, compiler));
      Optional<SecretHash> hash = section.find(SECRET_HASH);
      plan.ifPresent(limits -> {
        String owner = tenant.orElseThrow().name();
        given.id().ifPresent(id -> subjects.put(id, new Subject(id, owner, limits, hash)));
        given
            .match()
            .ifPresent(match -> rules.add(new SubjectRule(match, limits, terms(section, owner))));
      });
    }
    List<Section> deserted = tenants.values().stream()
        .filter(tenant -> !inhabited.contains(tenant.name()))
        .flatMap(tenant -> tenant.section().stream())
        .toList();
    return new Subjects(subjects, rules, compiler, usedPlans, deserted);
  }

  private static SubjectEntry terms(Section section, String tenant) {
    return new SubjectEntry(
        section.get(MATCH).toString(),
        tenant,
        section.find(PLAN),
        Access.read(section),
        section.items("overrides"),
        TenantEntry.NONE);
  }

  /** A subject or a rule of the document. */
  private record Given(Optional<String> id, Optional<SubjectPattern> match, Section section) {}

  private static List<Given> given(Section root) {
    if (!root.isList("subjects")) {
      Map<String, Section> byId =
          root.isAbsent("subjects") ? Map.of() : root.find(BY_ID).orElse(Map.of());
      return byId.entrySet().stream()
          .map(one -> new Given(Optional.of(one.getKey()), Optional.empty(), one.getValue()))
          .toList();
    }
    List<Given> given = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (Section section : root.find(LISTED).orElse(List.of())) {
      Optional<String> id = section.find(ID);
      Optional<SubjectPattern> match = section.find(MATCH);
      if (section.has("id") == section.has("match")) {
        section.error("subject_ambiguous", "both or neither of id and match (expected: one)");
      }
      if (id.isPresent() && !ids.add(id.get())) {
        section.error("subject_repeated", "id", id.get() + " is in the list already");
      }
      match.ifPresent(pattern -> findUnreachable(pattern, section, given));
      given.add(new Given(id, match, section));
    }
    return given;
  }

  private static void findUnreachable(
      SubjectPattern pattern, Section section, List<Given> earlier) {
    earlier.stream()
        .flatMap(given -> given.match().stream())
        .filter(before -> before.covers(pattern))
        .findFirst()
        .ifPresent(before -> section.warning(
            "subject_rule_unreachable",
            "match",
            "never matches: an earlier rule, %s, covers it".formatted(before)));
    if (section.has("secretHash")) {
      section.error(
          "subject_ambiguous", "secretHash", "of a rule (expected: only keys have a secret)");
    }
  }

  private Optional<String> defaultPlan(Section root) {
    Optional<String> named = root.find(DEFAULTS_FIELD).flatMap(this::planName);
    Optional<String> only = plans.values().stream()
        .filter(DefinedPlan::isImplicit)
        .map(DefinedPlan::name)
        .findFirst();
    named.or(() -> only).ifPresent(usedPlans::add);
    return named.or(() -> only);
  }

  private Optional<String> planName(Section section) {
    Optional<String> name = section.find(PLAN);
    if (name.isEmpty() || plans.containsKey(name.get())) {
      return name;
    }
    String known = plans.keySet().stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    String more = plans.size() > MAX_NAMED ? ", …" : "";
    section.error(
        "value_invalid",
        "plan",
        "'%s' (expected: one of the plans %s%s)".formatted(name.get(), known, more));
    return Optional.empty();
  }

  private Map<String, DefinedTenant> tenants(Section root) {
    Map<String, DefinedTenant> tenants = new LinkedHashMap<>();
    root.get(TENANTS).forEach((name, section) -> {
      Optional<String> plan = planName(section);
      plan.ifPresent(usedPlans::add);
      Access access = Access.read(section);
      tenants.put(name, new DefinedTenant(name, Optional.of(section), plan, access));
    });
    return tenants;
  }

  private Optional<DefinedTenant> tenant(
      Section root, Section section, Map<String, DefinedTenant> tenants) {
    Optional<String> name = section.find(TENANT_OF);
    if (!root.has("tenants")) {
      return name.map(
          n -> new DefinedTenant(n, Optional.empty(), Optional.empty(), Access.LIMITED));
    }
    if (name.isPresent() && !tenants.containsKey(name.get())) {
      section.error(
          "tenant_unknown", "tenant", "'%s' (expected: one of the tenants)".formatted(name.get()));
    }
    return name.map(tenants::get);
  }

  private Optional<Plan> plan(
      Section section, DefinedTenant tenant, Optional<String> defaultPlan, PlanCompiler compiler) {
    Optional<String> own = planName(section);
    Access access = Access.read(section);
    boolean overridden = section.has("overrides");
    DefinedPlan plan =
        own.or(tenant::plan).or(() -> defaultPlan).map(plans::get).orElse(null);
    if (plan == null) {
      section.error("plan_missing", "no plan (expected: one here, of its tenant or in defaults)");
      return Optional.empty();
    }
    usedPlans.add(plan.name());
    EffectiveAccess effective = EffectiveAccess.of(access, tenant.access(), plan.access());
    if (overridden && effective.access() != Access.LIMITED) {
      section.warning(
          "override_without_effect", "overrides", "no limit applies to this subject at all");
    }
    PlanDraft draft = draft(plan, tenant);
    return Optional.of(
        overridden
            ? compiler.own(plan.name(), effective, overrides.applyAll(section, draft, Scope.KEY))
            : compiler.shared(plan.name(), effective, tenant.entry()));
  }

  // Problems of a tenant's overrides are found here, once for each of its plans.
  private PlanDraft draft(DefinedPlan plan, DefinedTenant tenant) {
    if (tenant.section().isEmpty()) {
      return plan.draft();
    }
    return tenant
        .drafts()
        .computeIfAbsent(
            plan.name(),
            name -> overrides.applyAll(tenant.section().get(), plan.draft(), Scope.TENANT));
  }

  /**
   * All subjects.
   *
   * @param usedPlans the names of the plans that a subject, a tenant or the default has
   * @param deserted the listed tenants of no subject
   */
  record Subjects(
      Map<String, Subject> byId,
      List<SubjectRule> rules,
      PlanCompiler compiler,
      Set<String> usedPlans,
      List<Section> deserted) {}
}
