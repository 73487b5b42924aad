package io.weir.operators.status;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.OptionalLong;

/**
 * How many requests were decided in the last minute and how many of them were denied, beside the usual. Immutable.
 *
 * @param usual requests of the median minute of the last hour; 0 if it is not known
 * @param usuallyDenied denials of the median minute of the last hour
 */
record RecentRequests(long lastMinute, long denied, long usual, long usuallyDenied) {
  private static final RecentRequests NONE = new RecentRequests(0, 0, 0, 0);

  /** The requests of a node. */
  static RecentRequests of(Readings readings) {
    OptionalLong usual = readings.usual(Count.DECISIONS);
    OptionalLong usuallyDenied = readings.usual(Count.DENIED);
    return new RecentRequests(
        readings.lastMinute(Count.DECISIONS),
        readings.lastMinute(Count.DENIED),
        usual.orElse(0),
        usuallyDenied.orElse(0));
  }

  /** The requests of several nodes: a node that does not know the usual is taken for one like the others. */
  static RecentRequests sum(List<JsonObject> nodes) {
    return nodes.stream().map(RecentRequests::parse).reduce(NONE, RecentRequests::plus);
  }

  private RecentRequests plus(RecentRequests other) {
    return new RecentRequests(
        lastMinute + other.lastMinute,
        denied + other.denied,
        usual + other.usual,
        usuallyDenied + other.usuallyDenied);
  }

  private static RecentRequests parse(JsonObject json) {
    return new RecentRequests(
        json.getLong("lastMinute"),
        json.getLong("denied"),
        json.getLong("usual"),
        json.getLong("usuallyDenied"));
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("lastMinute", lastMinute)
        .put("denied", denied)
        .put("usual", usual)
        .put("usuallyDenied", usuallyDenied);
  }

  /** As operators read it. */
  JsonObject described() {
    JsonObject json = new JsonObject().put("lastMinute", lastMinute).put("denied", denied);
    if (usual > 0) {
      json.put("usuallyDeniedPercent", percent(usuallyDenied, usual));
    }
    return json.put("words", words());
  }

  private String words() {
    if (lastMinute == 0) {
      return "no requests in the last minute";
    }
    if (denied == 0) {
      return "none denied";
    }
    long percent = percent(denied, lastMinute);
    String share = percent == 0 ? "below 1 % denied" : percent + " % denied";
    return usual > 0
        ? "%s, usually %d %% in this hour".formatted(share, percent(usuallyDenied, usual))
        : share + ", nothing yet to compare it with";
  }

  private static long percent(long part, long whole) {
    return Math.round(100.0 * part / whole);
  }
}
