package io.weir.providers.rule;

import io.weir.core.policy.GroupRule;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.RetryRule;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads how operations use upstreams of providers. */
public final class OperationUpstreamSection extends PolicySection<OperationUpstream> {
  private static final Field<String> UPSTREAM =
      Field.id("upstream", "one of `upstreams`, whose [providers](#providers) get the requests");
  private static final Field<Long> ATTEMPTS = Field.hinted(
      "attempts",
      1,
      RetryRule.MAX_ATTEMPTS,
      RetryReader.ONCE,
      "how often a request is sent to them at most; 1 for once");
  private static final Field<Boolean> SAFE_TO_REPEAT = Field.flag(
          "safeToRepeat",
          "whether a request may be sent again though a provider may have acted upon it; overrides its method and its"
              + " upstream")
      .withoutDefault();

  public OperationUpstreamSection() {
    super(
        Parent.OPERATION,
        OperationUpstream.PART,
        UPSTREAM,
        GroupReader.GROUP,
        ATTEMPTS,
        SAFE_TO_REPEAT);
  }

  @Override
  public Optional<OperationUpstream> read(Section operation) {
    Optional<String> upstream = operation.find(UPSTREAM);
    GroupRule group = GroupReader.of(operation);
    OptionalLong attempts =
        operation.find(ATTEMPTS).map(OptionalLong::of).orElseGet(OptionalLong::empty);
    Optional<Boolean> safeToRepeat = operation.find(SAFE_TO_REPEAT);
    for (String field : List.of("attempts", "group", "safeToRepeat")) {
      if (operation.has(field) && upstream.isEmpty()) {
        operation.warning("field_ignored", field, "has no effect without an upstream of providers");
      }
    }
    return Optional.of(new OperationUpstream(upstream, group, attempts, safeToRepeat));
  }

  @Override
  public void check(Section root, Policy policy) {
    Map<String, Providers> upstreams = Upstreams.of(policy);
    for (OperationRule rule : policy.routing().rules()) {
      OperationUpstream use = OperationUpstream.of(rule);
      use.upstream()
          .filter(name -> !upstreams.containsKey(name))
          .ifPresent(name -> root.error(
              "upstream_unknown",
              "operations",
              "%s: no upstream '%s'".formatted(rule.name(), name)));
      use.upstream()
          .map(upstreams::get)
          .ifPresent(providers -> findUnserved(root, rule.name(), use.group(), providers));
    }
    RetryLint.operations(root, policy, upstreams);
  }

  private static void findUnserved(
      Section root, String operation, GroupRule groups, Providers providers) {
    groups.all().stream()
        .filter(group -> providers.serving(group).isEmpty())
        .forEach(group -> root.error(
            "upstream_group",
            "operations",
            "%s: no provider of %s serves the group '%s'"
                .formatted(operation, providers.name(), group)));
  }
}
