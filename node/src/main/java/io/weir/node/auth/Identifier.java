package io.weir.node.auth;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Subject;
import java.util.Optional;

/** Finds out who the caller of a request is. Safe for use by many threads. */
@FunctionalInterface
public interface Identifier {
  /**
   * The subject of a request.
   *
   * @param operation that it asks for, if the policy lists it
   * @return fails with {@link io.weir.node.answer.RefusedException}, or throws it, if the request does not show a valid
   *     identity, or if that cannot be told now
   */
  Future<Subject> identify(HttpServerRequest request, Optional<OperationRule> operation);
}
