package io.weir.cluster.command;

import io.weir.cluster.local.Herd.Event;
import java.io.PrintWriter;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Prints the answers to a herd, second by second. Mutable; counted on many threads, printed on one. */
final class HerdProgress {
  private static final int BAR = 40;

  private final ScheduledExecutorService printer = Executors.newSingleThreadScheduledExecutor();
  private final ScheduledFuture<?> printing;
  private final LongAdder admitted = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder undecided = new LongAdder();
  private final PrintWriter out;
  private final int callers;
  private int second;
  private long admittedInAll;
  private long askedInAll;

  HerdProgress(int callers, PrintWriter out) {
    this.callers = callers;
    this.out = out;
    out.printf(
        "%6s | %8s %8s | %7s | %s%n",
        "second", "admitted", "rejected", "waiting", "# admitted, . rejected, + more");
    out.flush();
    printing = printer.scheduleAtFixedRate(this::print, 1, 1, TimeUnit.SECONDS);
  }

  void add(Event event) {
    switch (event) {
      case ADMITTED -> admitted.increment();
      case REJECTED -> rejected.increment();
      case UNDECIDED -> undecided.increment();
    }
  }

  /** Prints the rest, and the number of attempts per admission. */
  void finish() throws InterruptedException {
    printing.cancel(false);
    printer.shutdown();
    printer.awaitTermination(5, TimeUnit.SECONDS);
    print();
    out.printf("%.2f attempts an admission%n", (double) askedInAll / Math.max(1, admittedInAll));
    out.flush();
  }

  private void print() {
    long yes = admitted.sumThenReset();
    long no = rejected.sumThenReset();
    long neither = undecided.sumThenReset();
    admittedInAll += yes;
    askedInAll += yes + no + neither;
    if (askedInAll == 0) {
      return; // the herd has not come yet
    }
    second++;
    out.printf(
        "%6d | %8d %8d | %7d | %s%s%n",
        second,
        yes,
        no,
        callers - admittedInAll,
        bar(yes, no),
        neither == 0 ? "" : " (%d without a decision)".formatted(neither));
    out.flush();
  }

  // One character per fortieth of the herd.
  private String bar(long yes, long no) {
    int hashes = width(yes);
    int dots = width(no);
    String text = "#".repeat(hashes) + ".".repeat(Math.max(0, Math.min(dots, BAR - hashes)));
    return hashes + dots > BAR ? text + "+" : text;
  }

  private int width(long count) {
    return (int) Math.min(2L * BAR, (count * BAR + callers - 1) / callers);
  }
}
