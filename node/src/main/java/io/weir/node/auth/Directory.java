package io.weir.node.auth;

import io.vertx.core.Future;
import io.weir.core.policy.Subject;
import java.util.Optional;

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
    public Future<Optional<Subject>> named(String name) {
      return Future.succeededFuture(Optional.empty());
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

  /** The subject with this name, for callers that vouch for theirs; fails in the same way. */
  Future<Optional<Subject>> named(String name);

  /** The operator who shows this token, if it is one that is stored. */
  Optional<Operator> operator(String token);
}
