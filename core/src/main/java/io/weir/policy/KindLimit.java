package io.weir.policy;

import io.weir.kind.KindDemand;
import java.util.Optional;
import java.util.Set;

/**
 * A quota or permits of the policy.
 *
 * @param section where it stands
 * @param demand what each operation demands of it
 * @param operations those it limits; empty for all
 * @param overflow the quota that is asked where this one is full
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

  KindLimit with(KindDemand other) {
    return new KindLimit(section, other, operations, overflow);
  }
}
