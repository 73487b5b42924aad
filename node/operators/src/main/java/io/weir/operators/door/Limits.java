package io.weir.operators.door;

import io.weir.node.answer.RefusedException;
import io.weir.node.intake.QueryParameters;
import java.util.Map;

/** The query parameter {@code limit}. */
final class Limits {
  static final String NAME = "limit";
  private static final int DEFAULT = 100;

  private Limits() {}

  /** How many are asked for; throws {@link RefusedException} unless it is 1 to {@code most}. */
  static int of(Map<String, String> asked, int most) {
    return QueryParameters.number(asked, NAME, Math.min(DEFAULT, most), 1, most);
  }
}
