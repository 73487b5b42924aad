package io.weir.whole.designs;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A limit by its definition: in every window, admitted operations use at most the seconds of the window and of a burst.
 *
 * @param burst in seconds
 * @param seconds of one operation, or of one use of a provider's key, by its name
 */
record Limit(String name, double burst, Map<String, Double> seconds, boolean countsRequests) {
  /**
   * The use of a limit.
   *
   * @param most seconds used in a window as long as the burst
   * @param over the seconds by which the worst window exceeds what it may use; 0 or less if none does
   */
  record Use(double most, double over) {}

  /** An interval of time, in nanoseconds. */
  record Span(long from, long to) {
    boolean touches(long begin, long end) {
      return begin <= to && end >= from;
    }
  }

  /** The limits of a policy whose callers share one key: buckets, overrides of operations, key intervals. */
  static List<Limit> of(JsonObject policy) {
    List<Limit> limits = new ArrayList<>();
    Set<String> overridden = new HashSet<>();
    for (Object plan : policy.getJsonObject("plans", new JsonObject()).getMap().values()) {
      for (JsonObject override :
          objects(new JsonObject(asMap(plan)).getJsonArray("overrides", new JsonArray()))) {
        String operation = override.getString("operation");
        overridden.add(operation);
        limits.add(new Limit(operation, burst(override), Map.of(operation, each(override)), false));
      }
    }
    for (JsonObject bucket : objects(policy.getJsonArray("buckets"))) {
      Map<String, Double> seconds = new HashMap<>();
      for (JsonObject group : objects(bucket.getJsonArray("throttleGroups"))) {
        group.getJsonArray("operations").stream()
            .filter(operation -> !overridden.contains(operation))
            .forEach(operation -> seconds.put((String) operation, each(group)));
      }
      boolean countsRequests = "requests".equals(bucket.getString("counts"));
      limits.add(new Limit(bucket.getString("name"), burst(bucket), seconds, countsRequests));
    }
    for (Object upstream :
        policy.getJsonObject("upstreams", new JsonObject()).getMap().values()) {
      for (JsonObject provider :
          objects(new JsonObject(asMap(upstream)).getJsonArray("providers"))) {
        limits.addAll(slots(provider));
      }
    }
    return limits;
  }

  private static List<Limit> slots(JsonObject provider) {
    List<Limit> slots = new ArrayList<>();
    if (provider.containsKey("keyInterval")) {
      double interval = Long.parseLong(provider.getString("keyInterval").replace("ms", "")) / 1e3;
      List<JsonObject> keys = objects(provider.getJsonArray("keys", new JsonArray()));
      List<String> names = keys.isEmpty()
          ? List.of("-")
          : keys.stream().map(key -> key.getString("name")).toList();
      for (String key : names) {
        String by = provider.getString("name") + "/" + key;
        slots.add(new Limit("slots of " + by, interval, Map.of(by, interval), true));
      }
    }
    return slots;
  }

  private static double burst(JsonObject of) {
    long millis = of.getLong("burstPeriodMs", 0L);
    return millis > 0 ? millis / 1e3 : of.getLong("burstPeriod");
  }

  private static double each(JsonObject group) {
    long milli = group.getLong("milliOpsPerSec", 0L);
    return milli > 0 ? 1e3 / milli : 1.0 / group.getLong("opsPerSec");
  }

  static List<JsonObject> objects(JsonArray array) {
    return array.stream().map(one -> (JsonObject) one).toList();
  }

  @SuppressWarnings("unchecked") // JSON has no other keys
  private static Map<String, Object> asMap(Object value) {
    return value instanceof JsonObject json ? json.getMap() : (Map<String, Object>) value;
  }

  /**
   * Judges admissions. Each was decided between its request and its answer; so those that were requested and answered
   * within a window were admitted in it, however busy the machine is.
   *
   * @param away when Redis was away: a window that touches it may use one burst more, because the copy is older, and
   *     the shares of nodes, which begin with half a burst and hold at least one operation each
   */
  Use judge(List<Answer> answers, Span away, int nodes) {
    List<Answer> admitted = answers.stream()
        .filter(answer -> answer.isGood() && used(answer) > 0)
        .sorted(Comparator.comparingLong(Answer::got))
        .toList();
    double largest = seconds.values().stream().mapToDouble(each -> each).max().orElse(0);
    double more = 1.5 * burst + nodes * largest;
    double most = 0;
    double over = Double.NEGATIVE_INFINITY;
    for (Answer first : admitted) {
      long begin = first.sent();
      double sum = 0;
      for (Answer next : admitted) {
        if (next.sent() >= begin) {
          sum += used(next);
          double window = (next.got() - begin) / 1e9;
          most = window <= burst ? Math.max(most, sum) : most;
          double allowed = burst + window + (away.touches(begin, next.got()) ? more : 0);
          over = Math.max(over, sum - allowed);
        }
      }
    }
    return new Use(most, over);
  }

  private double used(Answer answer) {
    double each = seconds.getOrDefault(answer.operation(), seconds.getOrDefault(answer.by(), 0.0));
    return countsRequests ? each : each * answer.cost();
  }
}
