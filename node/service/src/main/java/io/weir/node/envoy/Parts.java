package io.weir.node.envoy;

import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.envoy.Part.Role;
import io.weir.node.envoy.RateLimitRequest.Descriptor;
import io.weir.node.envoy.RateLimitResponse.NamedLimit;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.PolicyCharge;
import io.weir.node.envoy.rule.UnitLimit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The limited parts of a request.
 *
 * @param byId each part once
 * @param byRole the same by what is done with them
 * @param ids of the parts of each descriptor, in their order; empty for one without a limit
 */
record Parts(Map<String, Part> byId, Map<Role, List<Part>> byRole, List<Optional<String>> ids) {

  /**
   * The parts of a request by its rules; throws {@link GrpcException} if a subject of the policy is charged in another
   * way than it may be.
   *
   * @param subject of the policy, if the rules name one
   */
  static Parts of(MatchedRules matched, Policy policy, Optional<Subject> subject) {
    RateLimitRequest request = matched.request();
    Map<String, Part> parts = new LinkedHashMap<>();
    List<Optional<String>> ids = new ArrayList<>();
    for (int i = 0; i < matched.rules().size(); i++) {
      Descriptor descriptor = request.descriptors().get(i);
      Optional<EnvoyRule> rule = matched.rules().get(i);
      Optional<Part> part = matched.isOfPolicy(i)
          ? Optional.of(ofPolicy(
              i, rule.orElseThrow(), descriptor, request.hits(), policy, subject.orElseThrow()))
          : rule.flatMap(found -> part(matched.domain(), found, descriptor, request.hits()));
      part.ifPresent(
          found -> parts.merge(found.id(), found, (one, other) -> one.plus(other.hits())));
      ids.add(part.map(Part::id));
    }
    return new Parts(parts, byRole(parts), ids);
  }

  private static Map<Role, List<Part>> byRole(Map<String, Part> parts) {
    Map<Role, List<Part>> byRole = new EnumMap<>(Role.class);
    for (Part part : parts.values()) {
      byRole.computeIfAbsent(part.role(), role -> new ArrayList<>()).add(part);
    }
    return byRole;
  }

  /** The parts of one role. */
  List<Part> of(Role role) {
    return byRole.getOrDefault(role, List.of());
  }

  // Empty for one that is unlimited.
  private static Optional<Part> part(
      EnvoyDomain domain, EnvoyRule rule, Descriptor descriptor, long hits) {
    Optional<UnitLimit> limit = descriptor.limit().or(() -> rule.counting().limit());
    return limit.map(given -> {
      Subject subject = domain.subject(rule, descriptor.entries(), descriptor.limit());
      NamedLimit named = new NamedLimit(rule.name(), given);
      long counted = descriptor.hits().orElse(hits);
      return Part.ofRule(rule, subject, named, descriptor.isRefund() ? -counted : counted);
    });
  }

  private static Part ofPolicy(
      int index, EnvoyRule rule, Descriptor descriptor, long hits, Policy policy, Subject subject) {
    PolicyCharge charge = rule.counting().charges().orElseThrow();
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
}
