package io.weir.operators.live;

import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The decisions in one span of time. Immutable.
 *
 * @param number counted from the epoch, in {@link #SECONDS}
 * @param admitted by operation
 * @param denied or refused because nothing was decided, by operation
 * @param limits those that were denied, by the limit that had no room
 */
record Span(
    long number, Map<String, Long> admitted, Map<String, Long> denied, Map<String, Long> limits) {
  static final int SECONDS = 2;

  /** Names beyond these are summed, so that a span is small whatever the policy names. */
  private static final int MOST_NAMES = 32;

  private static final String OTHERS = "(others)";

  Span {
    admitted = bounded(admitted);
    denied = bounded(denied);
    limits = bounded(limits);
  }

  private static Map<String, Long> bounded(Map<String, Long> counts) {
    if (counts.size() <= MOST_NAMES) {
      return Map.copyOf(counts);
    }
    Map<String, Long> kept = new HashMap<>();
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()))
        .forEach(count -> kept.merge(
            kept.size() < MOST_NAMES - 1 ? count.getKey() : OTHERS, count.getValue(), Long::sum));
    return Map.copyOf(kept);
  }

  /** The sum of spans with one number, of several nodes. */
  static Span sum(long number, List<Span> spans) {
    return new Span(
        number, sum(spans, Span::admitted), sum(spans, Span::denied), sum(spans, Span::limits));
  }

  private static Map<String, Long> sum(List<Span> spans, Function<Span, Map<String, Long>> part) {
    Map<String, Long> sum = new HashMap<>();
    spans.forEach(span -> part.apply(span).forEach((name, n) -> sum.merge(name, n, Long::sum)));
    return sum;
  }

  boolean isEmpty() {
    return admitted.isEmpty() && denied.isEmpty();
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("span", number)
        .put("admitted", json(admitted))
        .put("denied", json(denied))
        .put("limits", json(limits));
  }

  private static JsonObject json(Map<String, Long> counts) {
    JsonObject json = new JsonObject();
    counts.forEach(json::put);
    return json;
  }

  static Span parse(JsonObject json) {
    return new Span(
        json.getLong("span"),
        counts(json.getJsonObject("admitted")),
        counts(json.getJsonObject("denied")),
        counts(json.getJsonObject("limits")));
  }

  private static Map<String, Long> counts(JsonObject json) {
    Map<String, Long> counts = new HashMap<>();
    json.fieldNames().forEach(name -> counts.put(name, json.getLong(name)));
    return counts;
  }
}
