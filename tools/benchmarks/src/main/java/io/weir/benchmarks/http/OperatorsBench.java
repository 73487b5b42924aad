package io.weir.benchmarks.http;

import io.vertx.core.buffer.Buffer;
import io.weir.benchmarks.Measurement;
import io.weir.benchmarks.RedisProbe;
import io.weir.benchmarks.Sample;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the cost of what operators see (cases, denials, counts): a node with it and one without, in turn, under checks
 * that are admitted and under checks that are denied.
 */
public final class OperatorsBench {
  private static final String MODULE = "operators";
  // The rounds of warm-up of a load, and how long they take at most. While the compiler is at work
  // it
  // takes as much of the processors as the node, and more of them on the node with more classes; it
  // is
  // not done before what each round begins with, its connections, is compiled, too.
  private static final int WARM_UP = 60;
  private static final Duration MOST_WARM_UP = Duration.ofSeconds(45);

  private final HttpBench http;
  private final PrintWriter out;

  /** @param http starts the nodes */
  public OperatorsBench(HttpBench http, PrintWriter out) {
    this.http = http;
    this.out = out;
  }

  /**
   * The measurements of one load on one node.
   *
   * @param redisCommands per decision
   */
  public record Result(Measurement measurement, double redisCommands) {}

  private record Load(String name, ServerProcess node, List<Buffer> requests) {}

  /** Measures both nodes in so many rounds of this duration. */
  public List<Result> measure(int rounds, Duration duration)
      throws IOException, InterruptedException {
    List<Result> results = new ArrayList<>();
    http.withAndWithout(MODULE, Traffic.policy(1), nodes -> {
      List<Load> loads = List.of(
          new Load("admitted, with", nodes.get(0), Traffic.checks()),
          new Load("admitted, without", nodes.get(1), Traffic.checks()),
          new Load("denied, with", nodes.get(0), Traffic.denied()),
          new Load("denied, without", nodes.get(1), Traffic.denied()));
      try (ByteLoad load = new ByteLoad()) {
        results.addAll(measure(loads, load, rounds, duration));
      }
    });
    out.printf(
        "%n%-18s | %10s | %9s | %9s | %9s | %s%n",
        "Operators", "per s", "p99 us", "CPU us", "Redis us", "commands of Redis per decision");
    results.forEach(this::print);
    out.flush();
    return results;
  }

  private void print(Result result) {
    Measurement of = result.measurement();
    out.printf(
        Locale.ROOT,
        "%-18s | %,10.0f | %,9.0f | %9.2f | %9.2f | %.3f%n",
        of.contender(),
        of.median(Sample::perSecond),
        of.median(Sample::p99Micros),
        of.median(Sample::cpuMicros),
        of.median(Sample::redisCpuMicros),
        result.redisCommands());
  }

  private List<Result> measure(List<Load> loads, ByteLoad callers, int rounds, Duration duration) {
    RedisProbe redis = http.redis();
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    Map<String, Long> commands = new LinkedHashMap<>();
    int warmUps = (int) Math.min(WARM_UP, MOST_WARM_UP.dividedBy(duration));
    for (int round = -warmUps; round < rounds; round++) {
      // The former of two keeps the machine warm for the latter.
      for (Load load : round % 2 == 0 ? loads : reversed(loads)) {
        long before = redis.commands();
        Sample sample = HttpBench.sample(redis, callers, load.node(), load.requests(), duration);
        if (round >= 0) {
          samples.computeIfAbsent(load.name(), name -> new ArrayList<>()).add(sample);
          commands.merge(load.name(), redis.commands() - before, Long::sum);
        }
      }
    }
    return loads.stream().map(load -> result(load, samples, commands, duration)).toList();
  }

  private static List<Load> reversed(List<Load> loads) {
    List<Load> reversed = new ArrayList<>(loads);
    Collections.reverse(reversed);
    return reversed;
  }

  private static Result result(
      Load load, Map<String, List<Sample>> samples, Map<String, Long> commands, Duration duration) {
    List<Sample> all = samples.getOrDefault(load.name(), List.of());
    double decisions = all.stream()
        .mapToDouble(one -> one.perSecond() * duration.toMillis() / 1000)
        .sum();
    return new Result(
        new Measurement(load.name(), HttpBench.CONNECTIONS, load.requests().size(), false, all),
        commands.getOrDefault(load.name(), 0L) / Math.max(1, decisions));
  }
}
