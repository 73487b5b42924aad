package io.weir.operators.status;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The findings of a node, each with the time since when it lasts. Mutable; safe for use by many threads. */
public final class NodeStatus {
  private final List<Symptom> symptoms;
  private final Readings readings;
  private Map<FindingId, Instant> since = Map.of(); // guarded by this
  private List<Finding> findings = List.of(); // guarded by this
  private Instant quietSince; // guarded by this; of no meaning while there are findings

  public NodeStatus(List<Symptom> symptoms, MeterRegistry meters, Instant now) {
    this.symptoms = List.copyOf(symptoms);
    this.readings = new Readings(meters, now.toEpochMilli());
    this.quietSince = now;
  }

  private record FindingId(Code code, String of) {}

  /** Looks for symptoms; called every two seconds. */
  public synchronized void look(Instant now) {
    readings.see(now.toEpochMilli());
    Map<FindingId, Instant> begun = new HashMap<>();
    boolean wasQuiet = findings.isEmpty();
    findings = symptoms.stream()
        .flatMap(symptom -> symptom.seen().apply(readings).entrySet().stream()
            .map(seen -> found(symptom, seen, begun, now))
            .filter(found -> isLasting(found, symptom.after(), now)))
        .filter(found -> !isExplained(found, begun))
        .toList();
    since = begun;
    quietSince = wasQuiet ? quietSince : now;
  }

  private Finding found(
      Symptom symptom, Map.Entry<String, String> seen, Map<FindingId, Instant> begun, Instant now) {
    FindingId place = new FindingId(symptom.code(), seen.getKey());
    Instant first = since.getOrDefault(place, now);
    begun.put(place, first);
    return new Finding(
        symptom.code().word(),
        seen.getKey(),
        first,
        seen.getValue(),
        symptom.doThis(seen.getKey()),
        List.of());
  }

  // That Redis is away says why decisions are made without it; afterwards they are told since then.
  private static boolean isExplained(Finding found, Map<FindingId, Instant> begun) {
    return found.code().equals(Code.DEGRADED.word())
        && begun.containsKey(new FindingId(Code.REDIS_AWAY, ""));
  }

  private static boolean isLasting(Finding found, Duration least, Instant now) {
    return Duration.between(found.since(), now).compareTo(least) >= 0;
  }

  /** Adds the findings to what this node says of itself. */
  public synchronized JsonObject describe(JsonObject node) {
    node.put(
        ClusterStatus.FINDINGS,
        new JsonArray(findings.stream().map(Finding::toJson).toList()));
    node.put(ClusterStatus.REQUESTS, RecentRequests.of(readings).toJson());
    if (findings.isEmpty()) {
      node.put(ClusterStatus.QUIET_SINCE, quietSince.toString());
    }
    readings.storeP99Millis().ifPresent(millis -> node.put(ClusterStatus.P99, millis));
    return node;
  }
}
