package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;

import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.envoy.RateLimitRequest.Descriptor;
import io.weir.node.envoy.RateLimitResponse.NamedLimit;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.PolicyCharge;
import io.weir.node.envoy.rule.UnitLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The limited parts of a request.
 *
 * @param byId each part once
 * @param ids of the parts of each descriptor, in their order; empty for one without a limit
 */
record Parts(Map<String, Part> byId, List<Optional<String>> ids) {

  /** The ids of the subjects of the policy that a request is charged as. */
  static Set<String> subjects(EnvoyDomain domain, RateLimitRequest request) {
    if (!domain.chargesPolicy()) {
      return Set.of();
    }
    Set<String> ids = new HashSet<>();
    for (Descriptor descriptor : request.descriptors()) {
      subject(domain, descriptor).ifPresent(ids::add);
    }
    return ids;
  }

  /** The subject of the policy that a descriptor is charged as. */
  static Optional<String> subject(EnvoyDomain domain, Descriptor descriptor) {
    return domain
        .rule(descriptor.entries())
        .flatMap(EnvoyRule::charges)
        .map(charge -> charge.subject(descriptor.entries()));
  }

  /**
   * Finds the rules of a request; throws {@link GrpcException} if one takes no limit of a descriptor that has one, or if
   * a subject of the policy is not charged alone.
   *
   * @param subjects of the policy, by id
   */
  static Parts of(
      EnvoyDomain domain, RateLimitRequest request, Policy policy, Map<String, Subject> subjects) {
    List<Optional<EnvoyRule>> rules = new ArrayList<>();
    Set<String> replaced = new HashSet<>();
    for (Descriptor descriptor : request.descriptors()) {
      Optional<EnvoyRule> rule = domain.rule(descriptor.entries());
      rule.ifPresent(found -> replaced.addAll(found.replaces()));
      rules.add(rule);
    }
    Map<String, Part> parts = new LinkedHashMap<>();
    List<Optional<String>> ids = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      Descriptor descriptor = request.descriptors().get(i);
      requireOverride(i, descriptor, rules.get(i));
      requireUndivided(i, rules.get(i));
      Optional<EnvoyRule> rule = rules.get(i).filter(found -> !replaced.contains(found.name()));
      Optional<Part> part = rule.flatMap(EnvoyRule::charges).isPresent()
          ? Optional.of(
              ofPolicy(i, rule.orElseThrow(), descriptor, request.hits(), policy, subjects))
          : rule.flatMap(found -> part(domain, found, descriptor, request.hits()));
      part.ifPresent(
          found -> parts.merge(found.id(), found, (one, other) -> one.plus(other.hits())));
      ids.add(part.map(Part::id));
    }
    requireAlone(parts.values());
    return new Parts(parts, ids);
  }

  private static void requireOverride(int index, Descriptor descriptor, Optional<EnvoyRule> rule) {
    if (descriptor.limit().isPresent() && rule.filter(EnvoyRule::takesLimits).isEmpty()) {
      throw GrpcException.invalid("descriptors[%d].limit: %s (expected: none, or override: true)"
          .formatted(
              index,
              rule.map(found -> "rule " + found.name() + " takes none").orElse("no rule matches")));
    }
  }

  private static void requireUndivided(int index, Optional<EnvoyRule> rule) {
    rule.filter(EnvoyRule::isDivided).ifPresent(divided -> {
      throw GrpcException.invalid(
          "descriptors[%d]: rule %s is divided (expected: StreamRateLimitQuotas for it)"
              .formatted(index, divided.name()));
    });
  }

  // Empty for one that is unlimited.
  private static Optional<Part> part(
      EnvoyDomain domain, EnvoyRule rule, Descriptor descriptor, long hits) {
    Optional<UnitLimit> limit = descriptor.limit().or(rule::limit);
    return limit.map(given -> {
      Subject subject = domain.subject(rule, descriptor.entries(), descriptor.limit());
      NamedLimit named = new NamedLimit(rule.name(), given);
      long counted = descriptor.hits().orElse(hits);
      return Part.ofRule(rule, subject, named, descriptor.isRefund() ? -counted : counted);
    });
  }

  private static Part ofPolicy(
      int index,
      EnvoyRule rule,
      Descriptor descriptor,
      long hits,
      Policy policy,
      Map<String, Subject> subjects) {
    PolicyCharge charge = rule.charges().orElseThrow();
    Subject subject = requireNonNull(subjects.get(charge.subject(descriptor.entries())));
    boolean takesPermits =
        subject.plan().limit(charge.operation()) instanceof Limited limited && limited.needsHold();
    if (takesPermits || descriptor.isRefund()) {
      throw GrpcException.invalid("descriptors[%d]: %s of rule %s (expected: %s)"
          .formatted(
              index,
              takesPermits ? "permits" : "negative hits",
              rule.name(),
              takesPermits ? "an operation without permits" : "positive ones, or 0"));
    }
    return new Part(
        rule,
        subject,
        charge.operation(),
        Optional.empty(),
        descriptor.hits().orElse(hits),
        policy.ownCost(charge.operation()));
  }

  // Its limits may be shared with others, so they are not decided in one step with those of other
  // descriptors.
  private static void requireAlone(Collection<Part> parts) {
    long charged =
        parts.stream().filter(part -> part.hits() != 0 && !part.rule().audits()).count();
    parts.stream()
        .filter(part -> part.isOfPolicy() && part.hits() != 0 && charged > 1)
        .findFirst()
        .ifPresent(part -> {
          throw GrpcException.invalid(
              "descriptors: rule %s charges a subject of the policy (expected: no other that takes hits)"
                  .formatted(part.rule().name()));
        });
  }
}
