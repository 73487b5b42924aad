package io.weir.operators.status;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The providers that have refused whatever they were sent in the last minute: a key that has no other beside it never
 * rests. Mutable; for one thread at a time.
 */
final class Refusals {
  private static final String ATTEMPTS = "throttle.upstream.attempts";
  private static final String REFUSED = "refused";
  /** Fewer may be about what their callers asked for. */
  private static final int LEAST = 5;

  private final Map<String, Answers> ofProviders = new HashMap<>();

  private record Answers(Growth refused, Growth all) {
    long refusedLastMinute(long nowMillis) {
      return refused.lastMinute(nowMillis);
    }

    boolean areAllRefused(long nowMillis) {
      return refusedLastMinute(nowMillis) >= LEAST
          && refusedLastMinute(nowMillis) == all.lastMinute(nowMillis);
    }
  }

  /** Takes the metrics as they are now; called every two seconds. */
  void see(MeterRegistry meters, long nowMillis) {
    Map<String, Long> refused = new HashMap<>();
    Map<String, Long> all = new HashMap<>();
    for (Counter counter : meters.find(ATTEMPTS).counters()) {
      String provider =
          "%s/%s".formatted(counter.getId().getTag("upstream"), counter.getId().getTag("provider"));
      long count = Math.round(counter.count());
      all.merge(provider, count, Long::sum);
      refused.merge(
          provider, REFUSED.equals(counter.getId().getTag("outcome")) ? count : 0, Long::sum);
    }
    ofProviders.keySet().retainAll(all.keySet());
    all.forEach((provider, count) -> {
      Answers answers = ofProviders.computeIfAbsent(
          provider, name -> new Answers(new Growth(0, nowMillis), new Growth(0, nowMillis)));
      answers.refused.see(refused.getOrDefault(provider, 0L), nowMillis);
      answers.all.see(count, nowMillis);
    });
  }

  /** How many requests they refused in the last minute, by {@code UPSTREAM/PROVIDER}. */
  Map<String, Long> lastMinute(long nowMillis) {
    Map<String, Long> found = new TreeMap<>();
    ofProviders.forEach((provider, answers) -> {
      if (answers.areAllRefused(nowMillis)) {
        found.put(provider, answers.refusedLastMinute(nowMillis));
      }
    });
    return found;
  }
}
