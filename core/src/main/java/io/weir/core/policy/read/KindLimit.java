package io.weir.core.policy.read;

import io.weir.core.kind.KindDemand;
import io.weir.core.policy.schema.Section;
import java.util.Optional;
import java.util.Set;

/**
 * A quota or permits of the policy.
 *
 * @param section its place in the document
 * @param demand the demand of each operation on it
 * @param operations the limited operations; empty for all
 * @param overflow the quota that is used if this one is full
 */
record KindLimit(
    Section section, KindDemand demand, Set<String> operations, Optional<String> overflow) {
  KindLimit {
    operations = Set.copyOf(operations);
  }

  String name() {
    return demand.name();
  }

  boolean limits(String operation) {
    return operations.isEmpty() || operations.contains(operation);
  }

  KindLimit withLimit(long total) {
    return new KindLimit(section, demand.withLimit(total), operations, overflow);
  }
}
