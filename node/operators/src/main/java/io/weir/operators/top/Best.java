package io.weir.operators.top;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The most frequent names of a count, with bounds. Immutable.
 *
 * @param rows the most frequent first
 * @param rest how often a name that is not in a row was counted, at most
 */
public record Best(List<Row> rows, long rest) {
  /** Nothing was counted. */
  public static final Best NONE = new Best(List.of(), 0);

  private static final Comparator<Row> MOST_FIRST = Comparator.comparingLong(Row::atLeast)
      .thenComparingLong(Row::atMost)
      .reversed()
      .thenComparing(Row::name);

  public Best {
    rows = List.copyOf(rows);
  }

  /** How often a name was counted, at least and at most. */
  public record Row(String name, long atLeast, long atMost) {}

  /** The best of these rows. */
  static Best of(List<Row> rows, long rest, int most) {
    List<Row> sorted = rows.stream().sorted(MOST_FIRST).toList();
    long left = sorted.stream().skip(most).mapToLong(Row::atMost).max().orElse(0);
    return new Best(sorted.stream().limit(most).toList(), Math.max(rest, left));
  }

  /**
   * The best of the sums of several counts: where a name is in no row of one, it counts for nothing at least, and for
   * the rest at most.
   */
  public static Best sum(List<Best> counts, int most) {
    long rest = counts.stream().mapToLong(Best::rest).sum();
    Map<String, Row> sums = new HashMap<>();
    for (Best count : counts) {
      for (Row row : count.rows) {
        Row before = sums.getOrDefault(row.name(), new Row(row.name(), 0, rest));
        sums.put(
            row.name(),
            new Row(
                row.name(),
                before.atLeast() + row.atLeast(),
                before.atMost() - count.rest + row.atMost()));
      }
    }
    return of(List.copyOf(sums.values()), rest, most);
  }

  JsonObject toJson() {
    JsonArray all = new JsonArray();
    rows.forEach(row -> all.add(JsonArray.of(row.name(), row.atLeast(), row.atMost())));
    return new JsonObject().put("rows", all).put("rest", rest);
  }

  static Best parse(JsonObject json) {
    List<Row> rows = json.getJsonArray("rows").stream()
        .map(JsonArray.class::cast)
        .map(row -> new Row(row.getString(0), row.getLong(1), row.getLong(2)))
        .toList();
    return new Best(rows, json.getLong("rest"));
  }
}
