package io.weir.policy;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which group of an upstream's operations a request is of.
 *
 * @param fallback the group of requests that name none, or one that nobody knows
 * @param named where they name it
 */
public record GroupRule(String fallback, Optional<Named> named) {
  /** Of operations that say nothing. */
  public static final GroupRule DEFAULT = new GroupRule("default", Optional.empty());

  /**
   * A value of a request that stands for a group, such as the model that it asks for.
   *
   * @param source where it is; not its length
   * @param name as of {@link CostRule.Read}
   * @param groups by value
   */
  public record Named(CostRule.Source source, String name, Map<String, String> groups) {
    public Named {
      groups = Map.copyOf(groups);
    }
  }

  /** All groups that there may be. */
  public Set<String> all() {
    Set<String> all = new TreeSet<>(Set.of(fallback));
    named.ifPresent(by -> all.addAll(by.groups().values()));
    return all;
  }

  /** Whether it is in the body. */
  public boolean needsBody() {
    return named.filter(by -> by.source() == CostRule.Source.JSON).isPresent();
  }
}
