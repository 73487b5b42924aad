package io.weir.upstream;

import java.util.Set;

/**
 * Which requests the operator has declared safe to repeat: a provider may have acted upon them, and they are sent to another
 * one. Methods that HTTP defines as idempotent are safe without it.
 *
 * @param isSafe whether all requests to the upstream are
 * @param jsonRpcMethods calls of these methods are, and batches of them
 */
public record RepeatRule(boolean isSafe, Set<String> jsonRpcMethods) {
  /** Nothing is declared. */
  public static final RepeatRule NONE = new RepeatRule(false, Set.of());

  public RepeatRule {
    jsonRpcMethods = Set.copyOf(jsonRpcMethods);
  }
}
