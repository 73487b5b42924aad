package io.weir.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Measures one hot key used by two processes at once, like two nodes. */
final class TwoProcesses {
  private static final int IN_FLIGHT = 256;
  // A fresh process compiles for a while: the warm-up is this many times the measurement.
  private static final int WARM_UP = 4;

  private TwoProcesses() {}

  /** The work of one process; returns decisions per second. */
  static double work(String uri, String name, Duration duration) throws InterruptedException {
    try (RedisProbe probe = new RedisProbe(uri);
        Contender contender = new Contenders(uri).admitting(name)) {
      return new ClosedLoop(probe, IN_FLIGHT, 1)
          .measure(contender, duration.multipliedBy(WARM_UP), duration)
          .perSecond();
    }
  }

  /** Decisions per second of both processes together: the median and the lowest of the rounds. */
  static double[] measure(String uri, RedisProbe probe, String name, Duration duration, int rounds)
      throws IOException, InterruptedException {
    double[] sums = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      probe.clear();
      List<Process> both = List.of(start(uri, name, duration), start(uri, name, duration));
      List<String> said = new ArrayList<>();
      for (Process one : both) {
        said.add(new String(one.getInputStream().readAllBytes(), UTF_8).strip());
        if (one.waitFor() != 0) {
          throw new IllegalStateException("a process of the benchmark failed: " + said);
        }
      }
      sums[round] = said.stream().mapToDouble(Double::parseDouble).sum();
    }
    Arrays.sort(sums);
    return new double[] {sums[rounds / 2], sums[0]};
  }

  private static Process start(String uri, String name, Duration duration) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BenchCommand.class.getName(), "--worker", uri, "--only", name));
    command.addAll(List.of("--millis", Long.toString(duration.toMillis())));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** The same of the contenders that are wanted, by name; prints each. */
  static Map<String, Map<String, Double>> measure(
      String uri,
      RedisProbe probe,
      Predicate<String> isWanted,
      Duration duration,
      int rounds,
      PrintWriter out)
      throws IOException, InterruptedException {
    Map<String, Map<String, Double>> results = new LinkedHashMap<>();
    for (String name : List.of("Bucket4j, batching", "Weir 3")) {
      if (isWanted.test(name)) {
        double[] perSecond = measure(uri, probe, name, duration, rounds);
        out.printf(
            "2 processes, 256 in flight each, 1 subject: %s %,.0f per s%n", name, perSecond[0]);
        results.put(name, Map.of("median", perSecond[0], "lowest", perSecond[1]));
      }
    }
    return results;
  }
}
