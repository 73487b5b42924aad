package io.weir.benchmarks;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures contenders in turn, several times.
 *
 * @param count how often each is measured
 * @param duration how long each is measured, after a warm-up as long as that
 */
record Rounds(int count, Duration duration, RedisProbe probe, PrintWriter out) {
  /** Measures all under a load. */
  List<Measurement> measure(Load load, Map<String, Supplier<Contender>> contenders)
      throws InterruptedException {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    ClosedLoop loop = new ClosedLoop(probe, load.inFlight(), load.subjects());
    for (int round = 1; round <= count && !contenders.isEmpty(); round++) {
      out.printf("%s: round %d of %d%n", load, round, count);
      out.flush();
      for (Supplier<Contender> one : contenders.values()) {
        probe.clear();
        try (Contender contender = one.get()) {
          samples
              .computeIfAbsent(contender.name(), name -> new ArrayList<>())
              .add(loop.measure(contender, duration, duration));
        }
      }
    }
    List<Measurement> measured = new ArrayList<>();
    samples.forEach((name, of) ->
        measured.add(new Measurement(name, load.inFlight(), load.subjects(), load.isDenied(), of)));
    return measured;
  }
}
