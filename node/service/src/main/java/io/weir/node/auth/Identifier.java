package io.weir.node.auth;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Subject;
import java.util.Optional;

/** Finds out who the caller of a request is. Safe for use by many threads. */
public interface Identifier {
  /**
   * The subject of a request. What identifies callers is removed from its headers: it is not forwarded.
   *
   * @param operation that it asks for, if the policy lists it
   * @return fails with {@link io.weir.node.answer.RefusedException}, or throws it, if the request does not show a valid
   *     identity, or if that cannot be told now
   */
  Future<Subject> identify(HttpServerRequest request, Optional<OperationRule> operation);

  /**
   * The subject with this name and without a record, as its last requests have stated its tenant, at any node of the
   * cluster; empty if no node remembers one.
   *
   * @param operator who names it: one of a tenant finds those of this tenant
   * @return fails with {@link io.weir.node.answer.RefusedException} if that cannot be determined now, or if it has
   *     several tenants
   */
  default Future<Optional<Subject>> recent(String name, Operator operator) {
    return Future.succeededFuture(Optional.empty());
  }

  /** The target of a request, without a key in its query. */
  default String target(HttpServerRequest request) {
    return request.uri();
  }

  /** Removes headers that identify callers, from headers of another origin than the request's. */
  default void removeFrom(MultiMap headers) {}

  /** Whether what the subject was found by counts for an operation. */
  default boolean isAccepted(Subject subject, Optional<OperationRule> operation) {
    return true;
  }

  /** Whether a listed proxy sent the request itself: one whose word about its callers counts. */
  default boolean isProxy(HttpServerRequest request) {
    return false;
  }

  /** The address of the caller. */
  default Optional<String> address(HttpServerRequest request) {
    return Addresses.peer(request);
  }
}
