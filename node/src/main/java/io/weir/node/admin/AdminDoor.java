package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Door;
import io.weir.node.metrics.NodeMetrics;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The door for operators, probes and dashboards: policy, health, metrics, and the OpenAPI description. */
public final class AdminDoor implements Door {
  private static final String POLICY = "/v1/policy";

  private final Map<String, Map<HttpMethod, Function<HttpServerRequest, Future<Void>>>> resources;

  /** @param openApi the OpenAPI description, as JSON */
  public AdminDoor(
      PolicyResource policy,
      QuotaResource quotas,
      JobResource jobs,
      Readiness readiness,
      NodeMetrics metrics,
      String openApi) {
    this.resources = Map.of(
        POLICY,
        Map.of(HttpMethod.GET, policy::get, HttpMethod.PUT, policy::put),
        "/v1/policy/jobs",
        Map.of(HttpMethod.GET, request -> {
          policy.requireOperator(request);
          return jobs.get(request);
        }),
        "/v1/quotas/reset",
        Map.of(HttpMethod.POST, request -> {
          policy.requireOperator(request);
          return quotas.reset(request);
        }),
        "/health/live",
        Map.of(HttpMethod.GET, readiness::live),
        "/health/ready",
        Map.of(HttpMethod.GET, readiness::ready),
        "/metrics",
        Map.of(HttpMethod.GET, request -> metrics(request, metrics)),
        "/openapi.json",
        Map.of(HttpMethod.GET, request -> openApi(request, openApi)));
  }

  @Override
  public boolean isAt(String path) {
    return resources.containsKey(path);
  }

  @Override
  public Set<String> routes() {
    Set<String> routes = new TreeSet<>();
    resources.forEach((path, methods) -> methods.forEach(
        (method, answer) -> routes.add(method.name().toLowerCase(Locale.ROOT) + " " + path)));
    return routes;
  }

  @Override
  public Optional<Set<String>> parameters(HttpMethod method, String path) {
    boolean publishes = path.equals(POLICY) && HttpMethod.PUT.equals(method);
    return Optional.of(publishes ? Set.of(PolicyResource.DRY_RUN) : Set.of());
  }

  @Override
  public Future<Void> serve(HttpServerRequest request) {
    Map<HttpMethod, Function<HttpServerRequest, Future<Void>>> methods =
        resources.getOrDefault(request.path(), Map.of());
    HttpMethod method =
        HttpMethod.HEAD.equals(request.method()) ? HttpMethod.GET : request.method();
    Function<HttpServerRequest, Future<Void>> answer = methods.get(method);
    if (answer == null) {
      throw RefusedException.methodNotAllowed(methods.keySet().stream()
          .map(HttpMethod::name)
          .sorted()
          .collect(Collectors.joining(", ")));
    }
    return answer.apply(request);
  }

  private static Future<Void> metrics(HttpServerRequest request, NodeMetrics metrics) {
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
        .end(metrics.scrape());
  }

  private static Future<Void> openApi(HttpServerRequest request, String openApi) {
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(openApi);
  }
}
