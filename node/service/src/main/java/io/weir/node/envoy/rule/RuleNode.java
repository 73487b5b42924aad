package io.weir.node.envoy.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a domain as a tree: a node for each entry that descriptors may have at one place after those of its
 * parents. Mutable while a policy is read; not modified afterwards.
 */
final class RuleNode {
  private final Map<String, Values> byKey = new HashMap<>();
  private @Nullable EnvoyRule rule;

  /** The nodes for one key. */
  private static final class Values {
    private final Map<String, RuleNode> exact = new HashMap<>();
    private final List<Wildcard> wildcards = new ArrayList<>();
    private @Nullable RuleNode any;

    // The nearest one: the value itself, the first wildcard that matches, any value.
    private @Nullable RuleNode nearest(String value) {
      RuleNode found = exact.get(value);
      if (found != null) {
        return found;
      }
      for (Wildcard wildcard : wildcards) {
        if (wildcard.match().takes(value)) {
          return wildcard.node();
        }
      }
      return any;
    }

    private RuleNode of(EntryMatch match) {
      if (match.isExact()) {
        return exact.computeIfAbsent(match.value().orElseThrow(), value -> new RuleNode());
      }
      if (match.value().isEmpty()) {
        RuleNode node = any == null ? new RuleNode() : any;
        any = node;
        return node;
      }
      for (Wildcard wildcard : wildcards) {
        if (wildcard.match().value().equals(match.value())) {
          return wildcard.node();
        }
      }
      RuleNode node = new RuleNode();
      wildcards.add(new Wildcard(match, node));
      return node;
    }
  }

  private record Wildcard(EntryMatch match, RuleNode node) {}

  /** Adds a rule; false if another one has the same entries. */
  boolean add(EnvoyRule added) {
    RuleNode node = this;
    for (EntryMatch match : added.match()) {
      node = node.byKey.computeIfAbsent(match.key(), key -> new Values()).of(match);
    }
    boolean isNew = node.rule == null;
    if (isNew) {
      node.rule = added;
    }
    return isNew;
  }

  /** The rule of a descriptor with these entries. */
  Optional<EnvoyRule> find(List<Entry> entries) {
    RuleNode node = this;
    for (Entry entry : entries) {
      Values values = node.byKey.get(entry.key());
      RuleNode next = values == null ? null : values.nearest(entry.value());
      if (next == null) {
        return Optional.empty();
      }
      node = next;
    }
    return Optional.ofNullable(node.rule);
  }
}
