package io.weir.core.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The treatment of a plan's requests during an outage of the shared state. */
public enum FailureMode {
  /** Each node enforces its share of the limits by itself. */
  LOCAL,
  /** They are refused. */
  DENY,
  /** They pass uncounted. */
  ALLOW;

  private static final Map<String, FailureMode> WORDS = words();

  static Optional<FailureMode> read(Section section) {
    return section.choice("failureMode", WORDS);
  }

  private static Map<String, FailureMode> words() {
    Map<String, FailureMode> words = new LinkedHashMap<>();
    words.put("local", LOCAL);
    words.put("deny", DENY);
    words.put("allow", ALLOW);
    return words;
  }
}
