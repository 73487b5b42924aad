package io.weir.core.policy;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Assigns requests to a group of an upstream's operations.
 *
 * @param fallback the group of requests that name none, or an unknown one
 * @param named where requests name it
 */
public record GroupRule(String fallback, Optional<Named> named) {
  /** The rule of operations that configure none. */
  public static final GroupRule DEFAULT = new GroupRule("default", Optional.empty());

  /**
   * A value of a request that selects a group, such as the requested model.
   *
   * @param source the part of the request; not its length
   * @param name as of {@link CostRule.Read}
   * @param groups by value
   */
  public record Named(CostRule.Source source, String name, Map<String, String> groups) {
    public Named {
      groups = Map.copyOf(groups);
    }
  }

  /** All possible groups. */
  public Set<String> all() {
    Set<String> all = new TreeSet<>(Set.of(fallback));
    named.ifPresent(by -> all.addAll(by.groups().values()));
    return all;
  }

  /** Whether the value is in the body. */
  public boolean needsBody() {
    return named.filter(by -> by.source() == CostRule.Source.JSON).isPresent();
  }
}
