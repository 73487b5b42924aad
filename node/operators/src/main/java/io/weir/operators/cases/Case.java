package io.weir.operators.cases;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.ReasonCode;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A case as an event loop, a node or all of them know it. Immutable.
 *
 * @param by what its last request ran into
 * @param runs by Redis's clock: the last one, which is the case, and the latest ones before it
 * @param minutes its requests by minute for an hour, also those of its earlier runs; the running minute is the last
 * @param lastMinute those of the last minute
 * @param isSoft whether its limit only warns
 */
record Case(
    CaseName name,
    LimitName by,
    List<Run> runs,
    List<Integer> minutes,
    long lastMinute,
    boolean isSoft) {
  /** The most frequent of the last minute first, else the latest. */
  static final Comparator<Case> MOST_FIRST = Comparator.comparingLong(Case::lastMinute)
      .thenComparingLong(Case::last)
      .reversed()
      .thenComparing(one -> one.name().tenant())
      .thenComparing(one -> one.name().key().orElse(""))
      .thenComparing(one -> one.name().limit());

  Case {
    runs = List.copyOf(runs);
    minutes = List.copyOf(minutes);
  }

  Case(CaseName name, LimitName by, List<Run> runs, List<Integer> minutes, long lastMinute) {
    this(name, by, runs, minutes, lastMinute, false);
  }

  /** The same of a limit that only warns. */
  Case thatWarns() {
    return new Case(name, by, runs, minutes, lastMinute, true);
  }

  /** The sum of what several know of one case. */
  static Case sum(List<Case> all) {
    Case latest = all.stream().max(Comparator.comparingLong(Case::last)).orElseThrow();
    return new Case(
        latest.name,
        latest.by,
        Run.joined(all.stream().flatMap(one -> one.runs.stream())),
        IntStream.range(0, latest.minutes.size())
            .mapToObj(i -> all.stream().mapToInt(one -> one.minutes.get(i)).sum())
            .toList(),
        all.stream().mapToLong(Case::lastMinute).sum());
  }

  private Run run() {
    return runs.get(runs.size() - 1);
  }

  long last() {
    return run().last();
  }

  boolean isOpen(long nowMillis) {
    return run().isOpen(nowMillis);
  }

  /** The case as operators read it. */
  JsonObject describe() {
    JsonObject json = named();
    ReasonCode.words(name.limit()).ifPresent(words -> json.put("why", words));
    if (isSoft) {
      json.put("soft", true).put("why", name.limit() + ", only warns");
    }
    return json.put("since", Instant.ofEpochMilli(run().first()).toString())
        .put("last", Instant.ofEpochMilli(last()).toString())
        .put("requests", run().requests())
        .put("lastMinute", lastMinute)
        .put("lastHour", minutes.stream().mapToLong(Integer::longValue).sum())
        .put("minutes", new JsonArray(minutes));
  }

  private JsonObject named() {
    JsonObject json = new JsonObject().put("tenant", name.tenant());
    name.key().ifPresent(key -> json.put("key", key));
    return json.put("limit", name.limit()).put("plan", by.plan()).put("operation", by.operation());
  }

  /** The case as nodes tell each other. */
  JsonObject toJson() {
    JsonArray all = new JsonArray();
    runs.forEach(run -> all.add(JsonArray.of(run.first(), run.last(), run.requests())));
    return named()
        .put("runs", all)
        .put("lastMinute", lastMinute)
        .put("minutes", new JsonArray(minutes));
  }

  /** Reads what {@link #toJson} wrote. */
  static Case parse(JsonObject json) {
    String limit = json.getString("limit");
    return new Case(
        new CaseName(json.getString("tenant"), Optional.ofNullable(json.getString("key")), limit),
        new LimitName(json.getString("plan"), json.getString("operation"), limit),
        json.getJsonArray("runs").stream()
            .map(JsonArray.class::cast)
            .map(Case::run)
            .toList(),
        json.getJsonArray("minutes").stream().map(Integer.class::cast).toList(),
        json.getLong("lastMinute"));
  }

  // Nodes of the release before send no third number.
  private static Run run(JsonArray run) {
    return new Run(run.getLong(0), run.getLong(1), run.size() > 2 ? run.getLong(2) : 0);
  }
}
