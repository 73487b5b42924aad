package io.weir.operators.status;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** All that a node looks for. */
public final class Symptoms {
  /** Single requests are late on any machine. */
  private static final double LEAST_SHARE = 0.01;

  private static final double SLOW_MILLIS = 50;
  /** Fewer calls say nothing of one in a hundred. */
  private static final int LEAST_CALLS = 100;

  private static final int DENIED_TIMES = 3;
  private static final int LEAST_DENIED = 300;
  private static final int RARE_MINUTES = 10;

  private Symptoms() {}

  /**
   * The symptoms in the metrics, and those of warnings.
   *
   * @param failing why receivers did not take their last warning, by their names
   * @param unknown the receivers that rules name and no file of the node has, by the names of the rules
   * @param outage tells what happens to requests while Redis is away
   */
  public static List<Symptom> all(
      Supplier<Map<String, String>> failing,
      Supplier<Map<String, String>> unknown,
      Supplier<String> outage) {
    return List.of(
        Symptom.ofNode(Code.REDIS_AWAY, Symptoms::away).meanwhile(outage),
        Symptom.ofNode(Code.UNDECIDED, Symptoms::undecided),
        Symptom.ofNode(Code.DEGRADED, Symptoms::degraded),
        Symptom.ofNode(Code.POLICY_FILE_REFUSED, Symptoms::refusedFile),
        Symptom.ofNode(Code.REDIS_SLOW, Symptoms::slow).after(Duration.ofMinutes(1)),
        Symptom.ofThings(Code.PROVIDER_LEFT_ALONE, Symptoms::leftAlone),
        Symptom.ofThings(Code.PROVIDER_REFUSES_KEY, Symptoms::refusedKeys),
        Symptom.ofThings(Code.PROVIDER_REFUSES_ALL, Symptoms::refusingProviders),
        Symptom.ofThings(Code.WINDOW_FAILED, Symptoms::failedWindows),
        Symptom.ofNode(Code.DENIALS_UNUSUAL, Symptoms::denials),
        Symptom.ofNode(
            Code.HOLDS_LOST,
            readings -> several(
                readings.last(RARE_MINUTES, Count.LOST_HOLDS),
                "Requests that lost permits or reservations in 10 minutes: %d")),
        Symptom.ofNode(
            Code.RECORDS_REWOUND,
            readings -> several(
                readings.last(RARE_MINUTES, Count.REWOUND_RECORDS),
                "Times that Redis came back with older records in 10 minutes: %d")),
        Symptom.ofThings(
            Code.RECEIVER_FAILS,
            readings -> named(failing.get(), "Receiver %s does not take warnings: %s"::formatted)),
        Symptom.ofThings(
            Code.RECEIVER_UNKNOWN,
            readings ->
                named(unknown.get(), "Rule %s warns %s, a receiver of no file"::formatted)));
  }

  private static Optional<String> away(Readings readings) {
    double share = readings.gauge("throttle.shared.state.away");
    if (share <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        share >= 1 ? "Redis is away" : "%.0f %% of Redis is away".formatted(share * 100));
  }

  private static Optional<String> undecided(Readings readings) {
    return share(
        readings, Count.UNDECIDED, "Requests without a decision in the last minute: %d of %d");
  }

  private static Optional<String> degraded(Readings readings) {
    return share(readings, Count.DEGRADED, "Decisions without Redis in the last minute: %d of %d");
  }

  // One in a hundred of all decisions of the last minute, at least.
  private static Optional<String> share(Readings readings, Count count, String sentence) {
    long some = readings.lastMinute(count);
    long all = readings.lastMinute(Count.DECISIONS);
    return some == 0 || some < LEAST_SHARE * all
        ? Optional.empty()
        : Optional.of(sentence.formatted(some, all));
  }

  private static Optional<String> refusedFile(Readings readings) {
    return readings.gauge("throttle.policy.file.refused") > 0
        ? Optional.of("The watched policy file is refused, or cannot be read")
        : Optional.empty();
  }

  private static Optional<String> slow(Readings readings) {
    double millis = readings.storeP99Millis().orElse(0);
    return millis <= SLOW_MILLIS || readings.storeCalls() < LEAST_CALLS
        ? Optional.empty()
        : Optional.of("Redis takes %.0f ms for one call in a hundred".formatted(millis));
  }

  private static Map<String, String> leftAlone(Readings readings) {
    return named(
        readings.gaugesAboveZero("throttle.upstream.breaker", "upstream", "provider"),
        (name, breaker) -> {
          String[] parts = name.split("/", 2);
          String state = breaker > 1 ? "left alone" : "tried again";
          return "Provider %s of %s is %s after failures".formatted(parts[1], parts[0], state);
        });
  }

  private static Map<String, String> refusedKeys(Readings readings) {
    return named(
        readings.gaugesAboveZero("throttle.upstream.key.refused", "upstream", "provider", "key"),
        (name, refused) -> {
          String[] parts = name.split("/", 3);
          return "Provider %s of %s refuses the key %s".formatted(parts[1], parts[0], parts[2]);
        });
  }

  private static Map<String, String> refusingProviders(Readings readings) {
    return named(readings.refusingProviders(), (name, requests) -> {
      String[] parts = name.split("/", 2);
      return "Provider %s of %s has refused all requests of the last minute: %d"
          .formatted(parts[1], parts[0], requests);
    });
  }

  private static Map<String, String> failedWindows(Readings readings) {
    return named(
        readings.gaugesAboveZero("throttle.window.failed", "window"),
        (window, ranges) -> "Window %s waits: %.0f of its ranges %s failed"
            .formatted(window, ranges, ranges == 1 ? "has" : "have"));
  }

  private static Optional<String> denials(Readings readings) {
    long denied = readings.lastMinute(Count.DENIED);
    OptionalLong usual = readings.usual(Count.DENIED);
    return usual.isEmpty() || denied < LEAST_DENIED || denied <= DENIED_TIMES * usual.getAsLong()
        ? Optional.empty()
        : Optional.of("%d denials in the last minute, usually %d in this hour"
            .formatted(denied, usual.getAsLong()));
  }

  private static Optional<String> several(long count, String sentence) {
    return count == 0 ? Optional.empty() : Optional.of(sentence.formatted(count));
  }

  private static <V> Map<String, String> named(
      Map<String, V> things, BiFunction<String, V, String> sentence) {
    Map<String, String> sentences = new TreeMap<>();
    things.forEach((name, value) -> sentences.put(name, sentence.apply(name, value)));
    return sentences;
  }
}
