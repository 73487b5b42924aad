package io.weir.node.envoy.rule;

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
    return value.isEmpty() || matches(value.get(), other);
  }

  // Goes back to the last star only, so the time is at most the product of the lengths.
  private static boolean matches(String pattern, String text) {
    int at = 0;
    int star = -1;
    int resume = 0;
    int i = 0;
    while (i < text.length()) {
      if (at < pattern.length() && pattern.charAt(at) == ANY) {
        star = at++;
        resume = i;
      } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(i)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++resume;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == ANY) {
      at++;
    }
    return at == pattern.length();
  }
}
