package io.weir.providers.rule;

import java.util.Set;

/**
 * The meaning of JSON-RPC errors in answers of 200.
 *
 * @param isRead whether answers are searched for errors
 * @param limits codes that mean 429, in addition to the common ones
 * @param failures codes that mean that the provider has failed
 */
public record JsonRpcRule(boolean isRead, Set<Integer> limits, Set<Integer> failures) {
  /** Answers are not searched. */
  public static final JsonRpcRule NONE = new JsonRpcRule(false, Set.of(), Set.of());

  public JsonRpcRule {
    limits = Set.copyOf(limits);
    failures = Set.copyOf(failures);
  }
}
