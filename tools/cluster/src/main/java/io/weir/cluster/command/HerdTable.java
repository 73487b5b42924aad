package io.weir.cluster.command;

import io.weir.cluster.local.Herd.Caller;
import io.weir.cluster.local.Patience;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** Prints the results of herds, one line each. */
final class HerdTable {
  private HerdTable() {}

  static void print(Map<Patience, List<Caller>> herds, PrintWriter out) {
    out.printf(
        "%-20s | %8s | %8s %8s %8s | %8s %8s%n",
        "", "admitted", "attempts", "median", "most", "median s", "last s");
    herds.forEach((patience, callers) -> line(patience, callers, out));
    out.flush();
  }

  private static void line(Patience patience, List<Caller> callers, PrintWriter out) {
    long[] attempts = callers.stream().mapToLong(Caller::attempts).sorted().toArray();
    double[] waits = callers.stream()
        .filter(one -> one.admittedNanos() >= 0)
        .mapToDouble(one -> one.admittedNanos() / 1e9)
        .sorted()
        .toArray();
    double mean =
        (double) callers.stream().mapToLong(Caller::attempts).sum() / Math.max(1, waits.length);
    out.printf(
        "%-20s | %8d | %8.2f %8d %8d | %8s %8s%n",
        patience.text(),
        waits.length,
        mean,
        attempts[attempts.length / 2],
        attempts[attempts.length - 1],
        waits.length == 0 ? "-" : "%.2f".formatted(waits[waits.length / 2]),
        waits.length == 0 ? "-" : "%.2f".formatted(waits[waits.length - 1]));
  }
}
