package io.weir.state.policy;

import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.state.inspect.LimitLines;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A policy as it is stored.
 *
 * @param revision 0 if nothing is stored
 * @param name the name in messages
 * @param text YAML or JSON
 * @param digest distinguishes two texts of one revision
 * @param bursts see {@link Bursts}
 * @param limits see {@link LimitLines}
 */
record PolicyText(
    long revision, String name, String text, String digest, String bursts, String limits) {
  /** The fields that distinguish it from others. */
  static final Set<String> STAMP = Set.of("revision", "digest", StateFormat.FIELD);

  /** All fields. */
  static final Set<String> FIELDS =
      Set.of("revision", "name", "document", "digest", "bursts", "limits", StateFormat.FIELD);

  static PolicyText of(long revision, String name, String text, Policy policy) {
    return new PolicyText(
        revision,
        name,
        text,
        SecretHash.of(text).formatted(),
        Bursts.of(policy),
        LimitLines.of(policy.allPlans()));
  }

  /** The fields of the hash in Redis; values may be absent. */
  static PolicyText of(Map<String, String> stored) {
    return new PolicyText(
        Long.parseLong(stored.getOrDefault("revision", "0")),
        stored.getOrDefault("name", "policy"),
        stored.getOrDefault("document", ""),
        stored.getOrDefault("digest", ""),
        stored.getOrDefault("bursts", ""),
        stored.getOrDefault("limits", ""));
  }

  /** The arguments of {@code lua/publish.lua}. */
  List<String> toStore(long expected, Edit edit) {
    return List.of(
        Long.toString(expected),
        Long.toString(revision),
        name,
        text,
        digest,
        bursts,
        limits,
        edit.by(),
        edit.comment());
  }

  PolicyText withRevision(long other) {
    return new PolicyText(other, name, text, digest, bursts, limits);
  }
}
