package io.weir.adapters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.weir.adapters.jaxrs.ThrottleFilter;
import io.weir.adapters.resilience4j.WeirRateLimiter;
import io.weir.adapters.vertx.ThrottleHandler;
import io.weir.library.Weir;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.glassfish.jersey.jdkhttp.JdkHttpServerFactory;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Weir in the shapes of other libraries. */
@Tag("jdk")
final class AdaptersIT {
  private static final String POLICY = """
      buckets:
        - { name: asks, burstPeriod: 3, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
        - { name: soon, burstPeriodMs: 200, throttleGroups: [{ opsPerSec: 5, operations: [Soon] }] }
      permits: [{ name: runs, limit: 1, operations: [Run] }]
      operations: [{ name: Run }]
      subjects: { app: { tenant: acme }, other: { tenant: acme } }
      """;

  private final Weir weir = Weir.inMemory(POLICY);
  private final List<AutoCloseable> open = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    weir.close();
  }

  private HttpResponse<String> get(int port, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    return client.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  private void isLimited(int port) throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = get(port, "/ask", "User", "app");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("RateLimit").orElse("")).startsWith("\"asks\";r=");
    }
    HttpResponse<String> denied = get(port, "/ask", "User", "app");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
    assertThat(denied.headers().firstValue("Retry-Ticket")).isEmpty();
    assertThat(denied.body()).contains("\"code\":\"quota_exceeded\"", "\"full\":[\"asks\"]");
    assertThat(get(port, "/ask", "User", "app", "Prefer", "retry-ticket")
            .headers()
            .firstValue("Retry-Ticket"))
        .isPresent();
    assertThat(get(port, "/ask").statusCode()).isEqualTo(401);
    assertThat(get(port, "/ask", "User", "nobody").statusCode()).isEqualTo(401);
    for (int i = 0; i < 3; i++) {
      assertThat(get(port, "/run", "User", "app").statusCode()).isEqualTo(200);
    }
    assertThat(get(port, "/free").statusCode()).isEqualTo(200);
  }

  @Test
  void aRouteOfVertxIsLimited() throws Exception {
    Vertx vertx = Vertx.vertx();
    open.add(() -> vertx.close().toCompletionStage().toCompletableFuture().join());
    Router router = Router.router(vertx);
    router
        .route("/ask")
        .handler(ThrottleHandler.of(
            weir, "Ask", it -> Optional.ofNullable(it.request().getHeader("User"))));
    router
        .route("/run")
        .handler(ThrottleHandler.of(
            weir, "Run", it -> Optional.ofNullable(it.request().getHeader("User"))));
    router.route().handler(it -> it.response().end("ok"));
    int port = vertx
        .createHttpServer()
        .requestHandler(router)
        .listen(0, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .actualPort();
    isLimited(port);
  }

  @Test
  void requestsOfJaxRsAreLimited() throws Exception {
    ResourceConfig application = new ResourceConfig(Resource.class)
        .register(new ThrottleFilter(
            weir,
            it -> switch (it.getUriInfo().getPath()) {
              case "ask" -> Optional.of("Ask");
              case "run" -> Optional.of("Run");
              default -> Optional.empty();
            },
            it -> Optional.ofNullable(it.getHeaderString("User"))));
    HttpServer server =
        JdkHttpServerFactory.createHttpServer(URI.create("http://127.0.0.1:0/"), application);
    open.add(() -> server.stop(0));
    isLimited(server.getAddress().getPort());
  }

  /** What is limited. */
  @Path("/")
  public static final class Resource {
    @GET
    @Path("ask")
    public String ask() {
      return "ok";
    }

    @GET
    @Path("run")
    public String run() {
      return "ok";
    }

    @GET
    @Path("free")
    public String free() {
      return "ok";
    }
  }

  @Test
  void aLimiterOfResilience4jHasTheLimitOfTheCluster() {
    RateLimiter limiter = WeirRateLimiter.of(weir, "app", "Ask", Duration.ZERO);
    assertThat(limiter.getMetrics().getAvailablePermissions()).isEqualTo(3);
    assertThat(limiter.executeSupplier(() -> "ran")).isEqualTo("ran");
    assertThat(limiter.acquirePermission(2)).isTrue();
    assertThatThrownBy(() -> limiter.executeSupplier(() -> "ran"))
        .isInstanceOf(RequestNotPermitted.class);
    assertThat(limiter.reservePermission()).isNegative();
    RateLimiter patient = WeirRateLimiter.of(weir, "other", "Soon", Duration.ofSeconds(30));
    for (int i = 0; i < 4; i++) {
      assertThat(patient.acquirePermission()).isTrue();
    }
    assertThatThrownBy(() -> limiter.changeLimitForPeriod(1))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
