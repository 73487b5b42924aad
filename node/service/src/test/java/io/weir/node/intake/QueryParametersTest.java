package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.node.answer.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of a query. */
final class QueryParametersTest {
  @Test
  void aNumberIsTheOneAskedForOrTheUsualOne() {
    assertThat(number(Map.of())).isEqualTo(100);
    assertThat(number(Map.of("limit", "1"))).isEqualTo(1);
    assertThat(number(Map.of("limit", "500"))).isEqualTo(500);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "501", "-1", "+1", "007", "1.0", "x", "99999999999999999999", "٣"})
  void anyOtherTextIsRefusedByItsName(String text) {
    assertThatThrownBy(() -> number(Map.of("limit", text)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.problem().toJson().encode())
                .contains("limit: " + text + " (expected: 1 to 500)"));
  }

  @Test
  void mistakesAreAddedToThoseFoundBefore() {
    List<String> mistakes = new ArrayList<>(List.of("plan: none"));
    assertThat(QueryParameters.number(Map.of("limit", "0"), "limit", 100, 1, 500, mistakes))
        .isEqualTo(100);
    assertThat(mistakes).containsExactly("plan: none", "limit: 0 (expected: 1 to 500)");
  }

  private static int number(Map<String, String> asked) {
    return QueryParameters.number(asked, "limit", 100, 1, 500);
  }
}
