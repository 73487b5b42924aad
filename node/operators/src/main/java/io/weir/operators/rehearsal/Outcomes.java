package io.weir.operators.rehearsal;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How rehearsed decisions stand beside those that counted, by plan and operation. Immutable.
 *
 * @param rows at most {@value #MOST_ROWS}; the last ones are summed
 */
record Outcomes(Map<Name, Counts> rows) {
  static final int MOST_ROWS = 512;

  private static final Name OTHERS = new Name("(others)", "(others)");

  /** A plan and an operation of the policy. */
  record Name(String plan, String operation) implements Comparable<Name> {
    private static final Comparator<Name> ORDER =
        Comparator.comparing(Name::plan).thenComparing(Name::operation);

    @Override
    public int compareTo(Name other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * Counts of requests.
   *
   * @param pass both ways
   * @param wouldDeny passes, and would be denied
   * @param wouldPass is denied, and would pass
   * @param deny both ways
   * @param unknown was not rehearsed, because the shared state did not answer or too many were under way
   */
  record Counts(long pass, long wouldDeny, long wouldPass, long deny, long unknown) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0);
    static final Counts UNKNOWN = new Counts(0, 0, 0, 0, 1);

    static Counts of(boolean passes, boolean wouldPass) {
      return passes
          ? wouldPass ? new Counts(1, 0, 0, 0, 0) : new Counts(0, 1, 0, 0, 0)
          : wouldPass ? new Counts(0, 0, 1, 0, 0) : new Counts(0, 0, 0, 1, 0);
    }

    /** The outcome of a single request. */
    String word() {
      return pass > 0
          ? "pass"
          : wouldDeny > 0
              ? "would_deny"
              : wouldPass > 0 ? "would_pass" : deny > 0 ? "deny" : "unknown";
    }

    Counts plus(Counts other) {
      return new Counts(
          pass + other.pass,
          wouldDeny + other.wouldDeny,
          wouldPass + other.wouldPass,
          deny + other.deny,
          unknown + other.unknown);
    }

    JsonObject toJson() {
      return new JsonObject()
          .put("pass", pass)
          .put("wouldDeny", wouldDeny)
          .put("wouldPass", wouldPass)
          .put("deny", deny)
          .put("unknown", unknown);
    }

    static Counts parse(JsonObject json) {
      Function<String, Long> number = name -> json.getLong(name, 0L);
      return new Counts(
          number.apply("pass"),
          number.apply("wouldDeny"),
          number.apply("wouldPass"),
          number.apply("deny"),
          number.apply("unknown"));
    }
  }

  Outcomes {
    rows = Map.copyOf(rows);
  }

  static Outcomes sum(List<Outcomes> all) {
    Map<Name, Counts> sum = new TreeMap<>();
    all.forEach(one -> one.rows().forEach((name, counts) -> add(sum, name, counts)));
    return new Outcomes(sum);
  }

  /** Adds to a sum, which stays bounded. */
  static void add(Map<Name, Counts> to, Name name, Counts counts) {
    boolean hasRoom = to.size() < MOST_ROWS - 1 || to.containsKey(name);
    to.merge(hasRoom ? name : OTHERS, counts, Counts::plus);
  }

  JsonArray toJson() {
    JsonArray json = new JsonArray();
    rows.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(row -> json.add(new JsonObject()
            .put("plan", row.getKey().plan())
            .put("operation", row.getKey().operation())
            .mergeIn(row.getValue().toJson())));
    return json;
  }

  static Outcomes parse(JsonArray json) {
    Map<Name, Counts> rows = new TreeMap<>();
    json.stream()
        .map(JsonObject.class::cast)
        .forEach(row -> add(
            rows, new Name(row.getString("plan"), row.getString("operation")), Counts.parse(row)));
    return new Outcomes(rows);
  }
}
