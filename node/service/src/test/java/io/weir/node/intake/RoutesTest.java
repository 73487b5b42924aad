package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.weir.node.answer.ProblemDetails;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RoutesTest {
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(404, "job_unknown", "No job");

  @ParameterizedTest
  @CsvSource({
    "/v1/jobs/Op/0f/result,Op,0f",
    "/v1/jobs/a-b_1/0f/result,a-b_1,0f",
    "/v1/jobs/Op/0g/result,,",
    "/v1/jobs/Op/0f,,",
    "/v1/jobs/Op/0f/result/,,",
    "/v1/jobs/O.p/0f/result,,",
    "/v1/jobs//0f/result,,",
    "/v1/jobs/O/p/0f/result,,"
  })
  void aTemplateFitsPathsWhoseParametersMatchTheirPatterns(
      String path, String operation, String id) {
    PathTemplate template =
        new PathTemplate("/v1/jobs/{operation}/{id}/result", Map.of("id", "[0-9a-f]{2}"));
    Optional<Map<String, String>> values = template.match(path);
    assertThat(values)
        .isEqualTo(Optional.ofNullable(operation).map(of -> Map.of("operation", of, "id", id)));
  }

  @Test
  void theTextAroundTheParametersIsNoPattern() {
    PathTemplate template = new PathTemplate("/v1.0/{name}", Map.of());
    assertThat(template.match("/v1.0/x")).contains(Map.of("name", "x"));
    assertThat(template.match("/v1-0/x")).isEmpty();
  }

  @Test
  void onlyARouteThatSaysSoAnswersHead() {
    Route plain = Route.get("/x", request -> Future.succeededFuture());
    assertThat(plain.accepts(HttpMethod.HEAD)).isFalse();
    assertThat(plain.withHead().accepts(HttpMethod.HEAD)).isTrue();
    assertThat(plain.withHead().accepts(HttpMethod.PUT)).isFalse();
    assertThat(plain.withHead().name()).isEqualTo("get /x");
  }

  @Test
  void aPathOfTwoDoorsIsRefused() {
    Door door = door("/x", Optional.empty());
    assertThatThrownBy(() -> new Routes(List.of(door, door), request -> Future.succeededFuture()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("path: '/x' (expected: of one door)");
  }

  @Test
  void aPathWithParametersNeedsAnAreaAroundIt() {
    Area elsewhere = Area.of("/v1/jobs/", Map.of(), UNKNOWN);
    for (Optional<Area> area : List.of(Optional.<Area>empty(), Optional.of(elsewhere))) {
      assertThatThrownBy(() ->
              new Routes(List.of(door("/x/{name}", area)), request -> Future.succeededFuture()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("path: '/x/{name}' (expected: in the area of its door)");
    }
  }

  private static Door door(String path, Optional<Area> area) {
    return new Door() {
      @Override
      public List<Route> routes() {
        return List.of(Route.get(path, request -> Future.succeededFuture()));
      }

      @Override
      public Optional<Area> area() {
        return area;
      }
    };
  }
}
