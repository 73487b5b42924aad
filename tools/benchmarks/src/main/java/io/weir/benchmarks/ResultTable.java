package io.weir.benchmarks;

import java.io.PrintWriter;
import java.util.List;

/** Prints medians, one line per contender, with the ratio to the first. */
final class ResultTable {
  private ResultTable() {}

  static void print(String load, List<Measurement> measurements, PrintWriter out) {
    if (measurements.isEmpty()) {
      return;
    }
    Measurement first = measurements.get(0);
    out.printf(
        "%n%s%n%-30s | %10s %7s | %9s %9s | %9s %9s | %s%n",
        load, "", "per s", "ratio", "p50 us", "p99 us", "CPU us", "Redis us", "unlike");
    for (Measurement one : measurements) {
      out.printf(
          "%-30s | %,10.0f %7.2f | %,9.0f %,9.0f | %9.2f %9.2f | %d%s%n",
          one.contender(),
          one.median(Sample::perSecond),
          one.median(Sample::perSecond) / first.median(Sample::perSecond),
          one.median(Sample::p50Micros),
          one.median(Sample::p99Micros),
          one.median(Sample::cpuMicros),
          one.median(Sample::redisCpuMicros),
          one.unlike(),
          one.unlike() == 0 ? "" : " (not what was set up: do not compare)");
    }
    out.println();
    out.flush();
  }
}
