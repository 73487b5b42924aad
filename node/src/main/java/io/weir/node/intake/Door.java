package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.Set;

/** An interface of the node for one kind of request. */
public interface Door {
  /** Whether requests for this path are for this door. */
  boolean isAt(String path);

  /** Its routes, as {@code get /path}; empty if the policy decides them. */
  default Set<String> routes() {
    return Set.of();
  }

  /**
   * The query parameters that it accepts; any other is refused. Empty for forwarded requests, whose parameters belong
   * to the upstream.
   */
  default Optional<Set<String>> parameters(HttpMethod method, String path) {
    return Optional.of(Set.of());
  }

  /**
   * Answers a request, which is paused and well framed.
   *
   * @return completes when it is answered; if it fails with {@link io.weir.node.answer.RefusedException}, the calling
   *     code answers with its problem
   */
  Future<Void> serve(HttpServerRequest request);
}
