package io.weir.benchmarks.core;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs {@link DecisionBenchmark} with JMH, in a process of its own. */
public final class CoreBench {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private CoreBench() {}

  /** Nanoseconds and allocated bytes of one call, by the name of the benchmark. */
  public static Map<String, Map<String, Double>> measure(int rounds, long millis, PrintWriter out) {
    // Otherwise it leaves a lock file behind.
    System.setProperty("jmh.ignoreLock", "true");
    Options options = new OptionsBuilder()
        .include(DecisionBenchmark.class.getName())
        .warmupTime(TimeValue.milliseconds(millis))
        .measurementIterations(rounds)
        .measurementTime(TimeValue.milliseconds(millis))
        .addProfiler(GCProfiler.class)
        .verbosity(VerboseMode.SILENT)
        .build();
    out.println("JMH: what a node does by itself");
    out.flush();
    Collection<RunResult> results;
    try {
      results = new Runner(options).run();
    } catch (RunnerException e) {
      throw new IllegalStateException("JMH failed: " + e.getMessage(), e);
    }
    Map<String, Map<String, Double>> figures = new TreeMap<>();
    for (RunResult result : results) {
      String name = result.getPrimaryResult().getLabel();
      double nanos = result.getPrimaryResult().getScore();
      double bytes = requireNonNull(result.getSecondaryResults().get(ALLOCATED)).getScore();
      out.printf("%-30s %,10.1f ns %,10.0f bytes%n", name, nanos, bytes);
      figures.put(name, Map.of("nanos", nanos, "bytes", bytes));
    }
    out.flush();
    return figures;
  }
}
