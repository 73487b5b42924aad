package io.weir.node.envoy.rule;

import java.util.List;

/**
 * Descriptors that are charged as a subject of the policy: they share its limits with all other doors.
 *
 * @param key of the entry whose value is the id of the subject
 * @param operation of the policy
 */
public record PolicyCharge(String key, String operation) {
  /** The id of the subject in a descriptor that the rule matches. */
  public String subject(List<Entry> entries) {
    return entries.stream()
        .filter(entry -> entry.key().equals(key))
        .map(Entry::value)
        .findFirst()
        .orElseThrow();
  }
}
