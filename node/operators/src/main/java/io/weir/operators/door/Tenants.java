package io.weir.operators.door;

import io.weir.node.admin.Operators;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import java.util.Map;
import java.util.Optional;

/** The query parameter {@code tenant}. */
final class Tenants {
  static final String NAME = "tenant";

  private Tenants() {}

  /**
   * The only tenant that is asked for: that of the operator if it names none. Throws {@link RefusedException} if the
   * operator may not see it, or all if there is none.
   */
  static Optional<String> of(Map<String, String> asked, Operator operator) {
    Optional<String> tenant = Optional.ofNullable(asked.get(NAME)).or(operator::tenant);
    boolean isAllowed =
        tenant.isPresent() ? operator.mayFor(tenant.get(), Scope.READ) : operator.may(Scope.READ);
    if (!isAllowed) {
      throw Operators.forbidden();
    }
    return tenant;
  }
}
