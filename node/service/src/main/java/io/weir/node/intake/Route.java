package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/**
 * A method and a path of a door, and the code that answers. The path may have parameters, each a name in braces:
 * {@code /v1/jobs/{operation}/{id}}. Immutable.
 *
 * @param query the query parameters that are accepted; any other is refused
 * @param answersHead whether {@code HEAD} is answered, too
 * @param takesAll whether all methods and queries are accepted: those of another request
 * @param handler answers a request, which is paused and well framed; its future completes when the request is answered.
 *     If it throws or its future fails, the intake answers
 */
public record Route(
    HttpMethod method,
    String path,
    Set<String> query,
    boolean answersHead,
    boolean takesAll,
    Function<RoutedRequest, Future<Void>> handler) {

  public Route {
    query = Set.copyOf(query);
  }

  public static Route get(String path, Function<RoutedRequest, Future<Void>> handler) {
    return of(HttpMethod.GET, path, handler);
  }

  public static Route post(String path, Function<RoutedRequest, Future<Void>> handler) {
    return of(HttpMethod.POST, path, handler);
  }

  public static Route put(String path, Function<RoutedRequest, Future<Void>> handler) {
    return of(HttpMethod.PUT, path, handler);
  }

  public static Route patch(String path, Function<RoutedRequest, Future<Void>> handler) {
    return of(HttpMethod.PATCH, path, handler);
  }

  public static Route delete(String path, Function<RoutedRequest, Future<Void>> handler) {
    return of(HttpMethod.DELETE, path, handler);
  }

  private static Route of(
      HttpMethod method, String path, Function<RoutedRequest, Future<Void>> handler) {
    return new Route(method, path, Set.of(), false, false, handler);
  }

  /** The same with query parameters. */
  public Route withQuery(String... parameters) {
    return new Route(method, path, Set.of(parameters), answersHead, takesAll, handler);
  }

  /** The same, with {@code HEAD} answered like its own method. */
  public Route withHead() {
    return new Route(method, path, query, true, takesAll, handler);
  }

  /** The same, for requests with any method and any query. */
  public Route withAllMethodsAndQueries() {
    return new Route(method, path, query, answersHead, true, handler);
  }

  /** The same, with its handler after this step, unless the step fails. */
  Route after(Function<HttpServerRequest, Future<Void>> first) {
    return new Route(
        method,
        path,
        query,
        answersHead,
        takesAll,
        request -> first.apply(request.http()).compose(done -> handler.apply(request)));
  }

  /** Its name in the OpenAPI description: {@code get /path}. */
  public String name() {
    return method.name().toLowerCase(Locale.ROOT) + " " + path;
  }

  boolean accepts(HttpMethod asked) {
    return takesAll || method.equals(asked) || (answersHead && HttpMethod.HEAD.equals(asked));
  }
}
