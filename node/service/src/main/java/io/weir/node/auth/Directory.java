package io.weir.node.auth;

import io.vertx.core.Future;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Subjects and operators that are defined outside of the policy. Safe for use by many threads; futures complete on the
 * caller's context.
 */
public interface Directory {
  /** Knows no one. */
  Directory EMPTY = new Directory() {
    @Override
    public Future<Optional<Subject>> ofKey(String shown, Optional<String> address) {
      return Future.succeededFuture(Optional.empty());
    }

    @Override
    public Future<Optional<Subject>> named(String name, Supplier<Optional<Subject>> covered) {
      return Future.succeededFuture(covered.get());
    }

    @Override
    public Future<Optional<Subject>> ofRule(String name, Policy policy) {
      return Future.succeededFuture(policy.covered(name));
    }

    @Override
    public Optional<Operator> operator(String token) {
      return Optional.empty();
    }
  };

  /**
   * The subject of a key; empty if the key is malformed, unknown, withdrawn or expired, or has another secret.
   *
   * @param shown the key, not validated
   * @param address of the caller, whose unknown keys are bounded; empty for a trusted caller
   * @return fails with {@link io.weir.node.answer.RefusedException} if it cannot be told now
   */
  Future<Optional<Subject>> ofKey(String shown, Optional<String> address);

  /**
   * The subject with this name, for callers that vouch for theirs; empty if its key may not be used. Fails in the same
   * way.
   *
   * @param covered the subject if there is no record of it, or while Redis is away and the record is not known
   */
  Future<Optional<Subject>> named(String name, Supplier<Optional<Subject>> covered);

  /**
   * The subject that a rule of a policy covers, with the settings of its tenant; empty if no rule does, or if the tenant
   * may not be used. Fails in the same way.
   */
  Future<Optional<Subject>> ofRule(String name, Policy policy);

  /** The operator who shows this token, if it is one that is stored. */
  Optional<Operator> operator(String token);
}
