package io.weir.node.envoy;

import io.weir.node.envoy.RateLimitRequest.Descriptor;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.PolicyCharge;
import io.weir.node.envoy.rule.RuleOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of the descriptors of a request, before anything is asked for.
 *
 * @param rules in the order of the descriptors; empty for one without a rule, or whose rule another one replaces
 * @param subject the id of the subject of the policy that the request names
 */
record MatchedRules(
    EnvoyDomain domain,
    RateLimitRequest request,
    List<Optional<EnvoyRule>> rules,
    Optional<String> subject) {

  /**
   * Finds the rules; throws {@link GrpcException} if one takes no limit of a descriptor that has one, or is divided, or
   * if a subject of the policy is not charged alone.
   */
  static MatchedRules of(EnvoyDomain domain, RateLimitRequest request) {
    List<Optional<EnvoyRule>> rules = new ArrayList<>();
    Set<String> replaced = new HashSet<>();
    for (Descriptor descriptor : request.descriptors()) {
      Optional<EnvoyRule> rule = domain.rule(descriptor.entries());
      requireOverride(rules.size(), descriptor, rule);
      requireUndivided(rules.size(), rule);
      rule.ifPresent(found -> replaced.addAll(found.replaces()));
      rules.add(rule);
    }
    if (!replaced.isEmpty()) {
      rules.replaceAll(rule -> rule.filter(found -> !replaced.contains(found.name())));
    }
    Optional<String> subject =
        domain.chargesPolicy() ? onlySubject(request, rules) : Optional.empty();
    return new MatchedRules(domain, request, rules, subject);
  }

  /** Whether a descriptor is charged as the subject of the policy. */
  boolean isOfPolicy(int descriptor) {
    return charge(rules, descriptor).isPresent();
  }

  private static Optional<PolicyCharge> charge(List<Optional<EnvoyRule>> rules, int descriptor) {
    return rules.get(descriptor).flatMap(it -> it.counting().charges());
  }

  // Its limits may be shared with others, so they are not decided in one step with those of other
  // descriptors. One look-up for a request is enough: its values may be the caller's.
  private static Optional<String> onlySubject(
      RateLimitRequest request, List<Optional<EnvoyRule>> rules) {
    Set<String> subjects = new HashSet<>();
    Set<List<?>> charged = new HashSet<>();
    boolean isCharged = false;
    for (int i = 0; i < rules.size(); i++) {
      Descriptor descriptor = request.descriptors().get(i);
      boolean takesHits = descriptor.hits().orElse(request.hits()) != 0
          && rules.get(i).filter(rule -> !rule.has(RuleOption.AUDIT)).isPresent();
      Optional<PolicyCharge> charge = charge(rules, i);
      charge.ifPresent(found -> subjects.add(found.subject(descriptor.entries())));
      if (takesHits) {
        charged.add(descriptor.entries());
        isCharged |= charge.isPresent();
      }
    }
    if (subjects.size() > 1 || (isCharged && charged.size() > 1)) {
      throw GrpcException.invalid(
          "descriptors: a rule charges a subject of the policy (expected: one subject, and no other that takes hits)");
    }
    return subjects.stream().findFirst();
  }

  private static void requireOverride(int index, Descriptor descriptor, Optional<EnvoyRule> rule) {
    if (descriptor.limit().isPresent()
        && rule.filter(found -> found.has(RuleOption.OVERRIDE)).isEmpty()) {
      throw GrpcException.invalid("descriptors[%d].limit: %s (expected: none, or override: true)"
          .formatted(
              index,
              rule.map(found -> "rule " + found.name() + " takes none").orElse("no rule matches")));
    }
  }

  private static void requireUndivided(int index, Optional<EnvoyRule> rule) {
    rule.filter(found -> found.has(RuleOption.DIVIDED)).ifPresent(divided -> {
      throw GrpcException.invalid(
          "descriptors[%d]: rule %s is divided (expected: StreamRateLimitQuotas for it)"
              .formatted(index, divided.name()));
    });
  }
}
