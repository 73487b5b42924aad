package io.weir.operators.door;

import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.List;
import java.util.Map;

/** The query parameter {@code limit}. */
final class Limits {
  static final String NAME = "limit";
  private static final int DEFAULT = 100;

  private Limits() {}

  /** How many are asked for; throws {@link RefusedException} unless it is 1 to {@code most}. */
  static int of(Map<String, String> asked, int most) {
    String text = asked.getOrDefault(NAME, Integer.toString(Math.min(DEFAULT, most)));
    if (text.matches("[1-9]\\d{0,2}") && Integer.parseInt(text) <= most) {
      return Integer.parseInt(text);
    }
    throw new RefusedException(ProblemDetails.badRequest(
        "query_invalid", List.of("limit: (expected: 1 to %d)".formatted(most))));
  }
}
