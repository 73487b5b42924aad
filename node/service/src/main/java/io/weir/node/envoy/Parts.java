package io.weir.node.envoy;

import io.weir.core.policy.Subject;
import io.weir.node.envoy.RateLimitRequest.Descriptor;
import io.weir.node.envoy.RateLimitResponse.NamedLimit;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.UnitLimit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The limited parts of a request.
 *
 * @param bySubject each part once, by its subject
 * @param subjects of each descriptor, in their order; empty for one without a limit
 */
record Parts(Map<String, Part> bySubject, List<Optional<String>> subjects) {

  /** Finds the rules of a request; throws {@link GrpcException} if one takes no limit of a descriptor that has one. */
  static Parts of(EnvoyDomain domain, RateLimitRequest request) {
    List<Optional<EnvoyRule>> rules = new ArrayList<>();
    Set<String> replaced = new HashSet<>();
    for (Descriptor descriptor : request.descriptors()) {
      Optional<EnvoyRule> rule = domain.rule(descriptor.entries());
      rule.ifPresent(found -> replaced.addAll(found.replaces()));
      rules.add(rule);
    }
    Map<String, Part> parts = new LinkedHashMap<>();
    List<Optional<String>> subjects = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      Descriptor descriptor = request.descriptors().get(i);
      requireOverride(i, descriptor, rules.get(i));
      requireUndivided(i, rules.get(i));
      Optional<Part> part = rules
          .get(i)
          .filter(rule -> !replaced.contains(rule.name()))
          .flatMap(rule -> part(domain, rule, descriptor, request.hits()));
      part.ifPresent(found ->
          parts.merge(found.subject().id(), found, (one, other) -> one.plus(other.hits())));
      subjects.add(part.map(found -> found.subject().id()));
    }
    return new Parts(parts, subjects);
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
      return new Part(rule, subject, named, descriptor.isRefund() ? -counted : counted);
    });
  }
}
