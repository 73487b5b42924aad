package io.weir.core.policy.schema;

import java.util.Map;

/**
 * How many items a list, or names a mapping, may have.
 *
 * @param code of the problem of too many; empty if the reader of the section reports them
 * @param noun the items, for the message; empty for none
 */
record SizeBound(int min, int max, String code, String noun) {
  static final SizeBound NONE = new SizeBound(0, Integer.MAX_VALUE, "", "");

  void check(int size, Position place, At at) {
    if (size > max && !code.isEmpty()) {
      String items = noun.isEmpty() ? "" : " " + noun;
      at.error(code, place, "%d%s (expected: at most %d)".formatted(size, items, max));
    }
  }

  String bounds() {
    if (max == Integer.MAX_VALUE) {
      return "";
    }
    return min > 0 ? "%d to %d".formatted(min, max) : "at most %d".formatted(max);
  }

  Map<String, Object> addTo(Map<String, Object> schema, String fewest, String most) {
    if (min > 0) {
      schema.put(fewest, min);
    }
    if (max < Integer.MAX_VALUE) {
      schema.put(most, max);
    }
    return schema;
  }
}
