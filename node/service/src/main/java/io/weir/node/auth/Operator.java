package io.weir.node.auth;

import java.util.Optional;

/**
 * An operator, and what it may do.
 *
 * @param name for the log of changes
 * @param may its scope
 * @param tenant the only tenant whose keys it may see and change; empty for all
 */
public record Operator(String name, Scope may, Optional<String> tenant) {
  /** The operator who shows the admin token that the node was started with. */
  public static final Operator OF_NODE = new Operator("admin", Scope.ALL, Optional.empty());

  /** The rights of an operator, each including the one before. */
  public enum Scope {
    /** Look. */
    READ,
    /** Look, and change keys. */
    KEYS,
    /** Everything. */
    ALL
  }

  /** Whether it may do this for the whole cluster. */
  public boolean may(Scope needed) {
    return tenant.isEmpty() && may.compareTo(needed) >= 0;
  }

  /** Whether it may do this for keys of a tenant. */
  public boolean mayFor(String owner, Scope needed) {
    return may.compareTo(needed) >= 0 && tenant.map(owner::equals).orElse(true);
  }
}
