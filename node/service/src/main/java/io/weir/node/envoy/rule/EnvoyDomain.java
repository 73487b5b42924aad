package io.weir.node.envoy.rule;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.core.slot.SlotMode;
import io.weir.node.admission.CarriedPlans;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rules of one domain. Safe for use by many threads. */
public final class EnvoyDomain {
  private static final String PLAN = "envoy:";

  private final String name;
  private final String tenant;
  private final RuleNode rules;
  private final boolean chargesPolicy;
  private final CarriedPlans<Carried> carriedPlans;

  /**
   * @param tenant the owner of its limits
   * @param chargesPolicy whether one of its rules charges subjects of the policy
   */
  EnvoyDomain(
      String name, String tenant, FailureMode failureMode, RuleNode rules, boolean chargesPolicy) {
    this.name = name;
    this.tenant = tenant;
    this.rules = rules;
    this.chargesPolicy = chargesPolicy;
    this.carriedPlans = new CarriedPlans<>(
        carried -> plan(name, carried.rule(), Optional.of(carried.limit()), failureMode));
  }

  /** A limit that a descriptor carries, and the rule that takes it. */
  private record Carried(String rule, UnitLimit limit) {}

  /** The plan of a rule. */
  static Plan plan(String domain, String rule, Optional<UnitLimit> limit, FailureMode failureMode) {
    OperationLimit compiled = limit.map(given -> given.compile(rule)).orElseGet(Unlimited::new);
    return new Plan(PLAN + domain, Map.of(rule, compiled), compiled, SlotMode.RESERVE, failureMode);
  }

  /** The owner of its limits. */
  public String tenant() {
    return tenant;
  }

  /** Whether one of its rules charges subjects of the policy. */
  public boolean chargesPolicy() {
    return chargesPolicy;
  }

  /** The rule of a descriptor; empty if none matches. */
  public Optional<EnvoyRule> rule(List<Entry> entries) {
    return rules.find(entries);
  }

  /**
   * The subject of a descriptor that a rule matches; its plan limits the operation that has the rule's name.
   *
   * @param carried the limit in place of the rule's
   */
  public Subject subject(EnvoyRule rule, List<Entry> entries, Optional<UnitLimit> carried) {
    Plan plan =
        carried.map(limit -> carriedPlans.of(new Carried(rule.name(), limit))).orElse(rule.plan());
    return new Subject(
        SubjectName.of(name, rule, entries),
        tenant,
        plan,
        Optional.empty(),
        new OfDescriptor(name, List.copyOf(entries), carried));
  }

  /** A descriptor, whose subject is that of the rule that matches it. */
  private record OfDescriptor(String domain, List<Entry> entries, Optional<UnitLimit> carried)
      implements SubjectSource {
    @Override
    public Optional<Subject> in(Policy policy) {
      return EnvoyDomains.of(policy)
          .find(domain)
          .flatMap(found -> found.rule(entries).map(rule -> found.subject(rule, entries, carried)));
    }
  }
}
