package io.weir.core.policy;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How an operation uses an upstream of providers.
 *
 * @param upstream its name; if empty, the policy's only upstream gets the requests
 * @param group of the upstream's operations: providers may serve only some groups, and may be in cooldown for some
 *     groups only
 * @param attempts the largest number of times that a request is sent to providers, if configured
 * @param safeToRepeat whether a request may be repeated though a provider may have acted upon it, if configured
 */
public record OperationUpstream(
    Optional<String> upstream,
    GroupRule group,
    OptionalLong attempts,
    Optional<Boolean> safeToRepeat) {
  /** How an operation uses an upstream. */
  public static final PartKey<OperationUpstream> PART =
      new PartKey<>("operationUpstream", OperationUpstream.class);

  /** An operation that configures nothing of it. */
  public static final OperationUpstream NONE = new OperationUpstream(
      Optional.empty(), GroupRule.DEFAULT, OptionalLong.empty(), Optional.empty());

  /** The settings of an operation. */
  public static OperationUpstream of(OperationRule rule) {
    return rule.parts().get(PART).orElse(NONE);
  }
}
