package io.weir.node.contexts;

import java.nio.file.Path;
import java.util.Optional;

/**
 * An admin port. Immutable.
 *
 * @param tokenFile has the admin token; empty if the environment has it
 */
public record AdminAddress(String node, Optional<Path> tokenFile) {

  /** A port whose token is in the environment. */
  public static AdminAddress of(String node) {
    return new AdminAddress(node, Optional.empty());
  }
}
