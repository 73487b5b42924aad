package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The paths of a door: all that begin with a prefix. A request to one of them that fits no route is refused, not
 * forwarded to the upstream. Immutable.
 *
 * @param patterns of the parameters of its routes, by name; without one: 1 to 64 letters, digits, {@code _} and {@code
 *     -}
 * @param check runs before a request that fits no route is refused; it may fail with another refusal
 * @param unknown the answer if no route has the path
 */
public record Area(
    String prefix,
    Map<String, String> patterns,
    Function<HttpServerRequest, Future<Void>> check,
    ProblemDetails unknown) {

  public Area {
    patterns = Map.copyOf(patterns);
  }

  /** An area without a check. */
  public static Area of(String prefix, Map<String, String> patterns, ProblemDetails unknown) {
    return new Area(prefix, patterns, request -> Future.succeededFuture(), unknown);
  }

  /** The same with a check. */
  public Area checkedBy(Consumer<HttpServerRequest> other) {
    return new Area(
        prefix,
        patterns,
        request -> {
          other.accept(request);
          return Future.succeededFuture();
        },
        unknown);
  }

  /** The same, with its check after this one. */
  Area after(Function<HttpServerRequest, Future<Void>> first) {
    return new Area(
        prefix,
        patterns,
        request -> first.apply(request).compose(admitted -> check.apply(request)),
        unknown);
  }

  /** Refuses a request that fits no route, after the check. */
  Future<Void> refuse(HttpServerRequest request, RefusedException refusal) {
    return check.apply(request).compose(checked -> Future.failedFuture(refusal));
  }
}
