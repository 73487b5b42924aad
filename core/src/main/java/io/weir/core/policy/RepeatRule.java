package io.weir.core.policy;

import java.util.Set;

/**
 * The requests that the operator has declared safe to repeat: they are sent to another provider even if the first one
 * may have acted upon them. Methods that HTTP defines as idempotent are always safe.
 *
 * @param isSafe whether all requests to the upstream are safe
 * @param jsonRpcMethods methods whose calls are safe, also in batches
 */
public record RepeatRule(boolean isSafe, Set<String> jsonRpcMethods) {
  /** Nothing is declared. */
  public static final RepeatRule NONE = new RepeatRule(false, Set.of());

  public RepeatRule {
    jsonRpcMethods = Set.copyOf(jsonRpcMethods);
  }
}
