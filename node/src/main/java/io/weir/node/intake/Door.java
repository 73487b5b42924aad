package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.Set;

/** One of the things that a node is asked for. */
public interface Door {
  /** Whether requests for this path are for this door. */
  boolean isAt(String path);

  /** What it can be asked for, as {@code get /path}; nothing where that is the policy's to say. */
  default Set<String> routes() {
    return Set.of();
  }

  /**
   * The query parameters that it takes; any other is refused. Empty for requests that are forwarded: their parameters are the
   * upstream's.
   */
  default Optional<Set<String>> parameters(HttpMethod method, String path) {
    return Optional.of(Set.of());
  }

  /**
   * Answers a request, which is paused and well framed.
   *
   * @return completes when it is answered; with {@link io.weir.node.answer.RefusedException} it is answered by whoever
   *     called, with the problem in it
   */
  Future<Void> serve(HttpServerRequest request);
}
