package io.weir.node.envoy.rule;

import io.weir.core.policy.SubjectPattern;
import java.util.Optional;

/**
 * The entries that a rule takes at one place of a descriptor.
 *
 * @param value with stars for any characters; if empty, any value
 * @param shared whether all values that match share one limit
 */
record EntryMatch(String key, Optional<String> value, boolean shared) {
  private static final char ANY = '*';

  /** Whether one value alone matches. */
  boolean isExact() {
    return value.filter(text -> text.indexOf(ANY) < 0).isPresent();
  }

  /** Whether a value matches. */
  boolean takes(String other) {
    return value.isEmpty() || SubjectPattern.matches(value.get(), other);
  }
}
