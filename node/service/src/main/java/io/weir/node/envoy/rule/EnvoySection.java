package io.weir.node.envoy.rule;

import io.weir.core.bucket.Names;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the domains of Envoy's rate limit protocol, and their rules. */
public final class EnvoySection extends PolicySection<EnvoyDomains> {
  private static final int MOST_DOMAINS = 100;
  private static final int MOST_RULES = 10_000;

  private static final Field<Boolean> TAKES_LIMITS = Field.flag(
      "override", "whether a limit that a descriptor carries applies in place of this one");
  private static final Field<Optional<RuleOption>> MODE = Field.choice(
          "mode",
          Words.of(
              "enforce",
              Optional.<RuleOption>empty(),
              "audit",
              Optional.of(RuleOption.AUDIT),
              "quota",
              Optional.of(RuleOption.QUOTA)),
          "`enforce`, `audit`: decided and counted, and it denies nothing; or `quota`: it denies only if all of"
              + " the request's rules in this mode do")
      .or(Optional.empty());
  private static final Field<Boolean> AFTERWARDS = Field.flag(
      "afterwards",
      "whether its hits are charged after the answer of the upstream: [all are taken](envoy.md#charges-after-the-answer)");
  private static final Field<Boolean> DIVIDED = Field.flag(
      "divided",
      "whether it is [divided among Envoys](envoy.md#divided-limits), per second to day, its keys in"
          + " the order of the alphabet");
  private static final Field<String> SUBJECT = Field.text(
      "subject",
      RuleFields.KEY,
      "the key of one of its entries",
      "instead of a limit: the key of the entry whose value is the id of a [subject](#plans-tenants-and-subjects), which is"
          + " charged for `operation`");
  private static final Field<String> OPERATION =
      Field.name("operation", "of the policy, for `subject`");
  private static final Field<String> NAME =
      Field.name("name", "of the limit, in answers and metrics; default: the keys of its entries");
  private static final Field<List<Item>> REPLACES = Field.names(
      "replaces", "names of rules that do not apply if this one matches the same request, too");
  private static final Field<List<Section>> RULES = Field.sections(
          "rules",
          Table.of(
              "envoyRule",
              RuleFields.MATCH,
              RuleFields.REQUESTS,
              RuleFields.PER,
              RuleFields.UNLIMITED,
              TAKES_LIMITS,
              MODE,
              AFTERWARDS,
              DIVIDED,
              SUBJECT,
              OPERATION,
              NAME,
              REPLACES),
          "which descriptors have which limit")
      .atMost(MOST_RULES, "too_many_rules");
  private static final Field<String> TENANT = Field.id(
      "tenant",
      "the owner of its limits; default: the name of the domain, if it is that of a tenant");
  private static final Field<FailureMode> FAILURE_MODE = FailureMode.FIELD;
  private static final Field<Map<String, Section>> DOMAINS = Field.byName(
          "envoy",
          Table.of("envoyDomain", TENANT, FAILURE_MODE, RULES),
          "the domains of [Envoy's rate limit protocol](#envoy)")
      .atMost(MOST_DOMAINS, "too_many_domains");

  public EnvoySection() {
    super(Parent.POLICY, EnvoyDomains.PART, DOMAINS);
  }

  @Override
  public Optional<EnvoyDomains> read(Section root) {
    Map<String, EnvoyDomain> domains = new HashMap<>();
    FailureMode usual = root.find(FAILURE_MODE).orElse(FailureMode.LOCAL);
    root.get(DOMAINS).forEach((name, section) -> domains.put(name, domain(name, section, usual)));
    return Optional.of(new EnvoyDomains(domains));
  }

  private static EnvoyDomain domain(String name, Section section, FailureMode usual) {
    Optional<String> tenant = section.find(TENANT);
    if (tenant.isEmpty() && section.isAbsent(TENANT.name()) && !Names.isId(name)) {
      section.error(
          "tenant_unknown",
          TENANT.name(),
          "none, and the name of the domain is none of a tenant (expected: " + Names.ID_PATTERN
              + ")");
    }
    FailureMode failureMode = section.find(FAILURE_MODE).orElse(usual);
    List<Section> sections = section.get(RULES);
    RuleNode rules = new RuleNode();
    Set<String> names = new HashSet<>();
    for (Section each : sections) {
      rule(name, each, failureMode).ifPresent(rule -> {
        names.add(rule.name());
        if (!rules.add(rule)) {
          each.error("rule_repeated", RuleFields.MATCH.name(), "another rule has the same entries");
        }
      });
    }
    sections.forEach(each -> checkReplaced(each, names));
    boolean chargesPolicy = sections.stream().anyMatch(each -> each.has(SUBJECT.name()));
    return new EnvoyDomain(name, tenant.orElse(name), failureMode, rules, chargesPolicy);
  }

  private static void checkReplaced(Section section, Set<String> names) {
    for (Item item : section.get(REPLACES)) {
      if (!names.contains(item.text())) {
        section.errorAt("rule_unknown", item, "no rule '%s' in the domain".formatted(item.text()));
      } else if (section.find(NAME).filter(item.text()::equals).isPresent()) {
        section.errorAt("rule_unknown", item, "the rule itself (expected: the name of another)");
      }
    }
  }

  private static Optional<EnvoyRule> rule(String domain, Section section, FailureMode failureMode) {
    List<EntryMatch> match = RuleFields.match(section);
    Optional<UnitLimit> limit = RuleFields.limit(section, section.has(SUBJECT.name()));
    Set<RuleOption> options = options(section);
    Set<String> replaces = Item.texts(section.get(REPLACES));
    Optional<PolicyCharge> charges = charges(section, match, !options.isEmpty());
    if (options.contains(RuleOption.DIVIDED)) {
      boolean isShared = match.stream().anyMatch(EntryMatch::shared);
      boolean hasOthers = options.size() > 1
          || section.get(RuleFields.UNLIMITED)
          || !replaces.isEmpty()
          || isShared;
      checkDivided(section, match, hasOthers, limit);
    }
    String name = section.find(NAME).orElseGet(() -> RuleFields.nameOf(match));
    return match.isEmpty()
        ? Optional.empty()
        : Optional.of(new EnvoyRule(
            name,
            match,
            new EnvoyRule.Counting(limit, options, charges),
            replaces,
            EnvoyDomain.plan(domain, name, limit, failureMode)));
  }

  private static Set<RuleOption> options(Section section) {
    Set<RuleOption> options = EnumSet.noneOf(RuleOption.class);
    section.get(MODE).ifPresent(options::add);
    Map.of(
            TAKES_LIMITS, RuleOption.OVERRIDE,
            DIVIDED, RuleOption.DIVIDED,
            AFTERWARDS, RuleOption.AFTERWARDS)
        .forEach((field, option) -> {
          if (section.get(field)) {
            options.add(option);
          }
        });
    return options;
  }

  private static Optional<PolicyCharge> charges(
      Section section, List<EntryMatch> match, boolean hasOthers) {
    Optional<String> subject = section.find(SUBJECT);
    if (section.has(SUBJECT.name()) != section.has(OPERATION.name())) {
      section.error("subject_incomplete", "one of subject and operation (expected: both, or none)");
    }
    subject
        .filter(key -> match.stream().noneMatch(entry -> entry.key().equals(key)))
        .ifPresent(key -> section.error(
            "subject_unmatched",
            SUBJECT.name(),
            key + " (expected: the key of one of its entries)"));
    if (subject.isPresent() && hasOthers) {
      section.error(
          "subject_with_options",
          SUBJECT.name(),
          "beside override, mode, afterwards or divided (expected: none of them)");
    }
    return subject.flatMap(
        key -> section.find(OPERATION).map(operation -> new PolicyCharge(key, operation)));
  }

  @Override
  public void check(Section root, Policy policy) {
    Set<String> known = new HashSet<>(policy.routing().operations().keySet());
    policy.allPlans().forEach(plan -> known.addAll(plan.operations()));
    root.get(DOMAINS).values().stream()
        .flatMap(domain -> domain.get(RULES).stream())
        .forEach(rule -> rule.find(OPERATION)
            .filter(operation -> !known.contains(operation))
            .ifPresent(operation -> rule.error(
                "operation_unknown",
                OPERATION.name(),
                "'%s' is no operation of the policy".formatted(operation))));
  }

  // Buckets have no order and each key once, so a rule has the order of the alphabet.
  private static void checkDivided(
      Section section, List<EntryMatch> match, boolean hasOthers, Optional<UnitLimit> limit) {
    if (hasOthers) {
      section.error(
          "divided_with_options",
          DIVIDED.name(),
          "true beside override, mode, afterwards, replaces, unlimited or shared (expected: none of them)");
    }
    if (limit.filter(given -> !given.isDivisible()).isPresent()) {
      section.error(
          "divided_too_long", RuleFields.PER.name(), "above a day (expected: second to day)");
    }
    for (int i = 1; i < match.size(); i++) {
      if (match.get(i - 1).key().compareTo(match.get(i).key()) >= 0) {
        section.error(
            "divided_unordered",
            RuleFields.MATCH.name(),
            "keys that are not in the order of the alphabet");
      }
    }
  }
}
