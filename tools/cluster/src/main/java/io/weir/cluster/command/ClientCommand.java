package io.weir.cluster.command;

import io.weir.cluster.local.ClientCalls;
import io.weir.cluster.local.ClientCalls.Outcome;
import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.Herd;
import io.weir.node.command.CountWords;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code weir demo client}: the behaviour of Weir's own client at a full bucket. */
@Command(
    name = "client",
    description =
        "Makes many calls of one key at the same moment with Weir's Java client, through all nodes of the "
            + "local cluster. Fails unless every call succeeds, with at most 2 attempts each, within 3 %% of the "
            + "shortest possible time.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class ClientCommand extends PrintingCommand {
  private static final int MOST_CALLS = 5000;
  private static final double MOST_ATTEMPTS = 2;
  private static final double LATEST = 1.03;
  private static final String KEY = "herd";
  private static final String KEY_TO_WARM_UP = "next-token";
  private static final String KEY_WITH_SLOTS_TO_WARM_UP = "plain";
  private static final int WARM_UP_CALLS = 400;

  @Parameters(
      paramLabel = "CALLS",
      arity = "0..1",
      defaultValue = "1000",
      description = "how many (${DEFAULT-VALUE}; at most 5000)")
  private int calls;

  @Mixin
  private ClusterDirectory directory = new ClusterDirectory();

  @Override
  public Integer call() throws IOException, InterruptedException {
    // Otherwise each of very many retries logs a line.
    System.setProperty("org.slf4j.simpleLogger.log.io.weir.client", "error");
    PrintWriter out = out();
    RunningCluster running = directory.read(out);
    DemoKey key = running.key(KEY);
    ClusterFile cluster = running.file();
    double ideal = calls / key.opsPerSec() - key.burstMs() / 1000.0;
    if (calls > MOST_CALLS || ideal < 1) {
      throw wrong(
          "CALLS must be at most %d, and take a second at least: %d".formatted(MOST_CALLS, calls));
    }
    out.printf(
        "%d calls of one key at once, %.0f/s with a burst of %d ms, on %s: ideal is %.1f s.%n",
        calls,
        key.opsPerSec(),
        key.burstMs(),
        CountWords.of(cluster.nodes().size(), "node"),
        ideal);
    out.println("Warming up...");
    out.flush();
    try (Herd herd = new Herd(cluster.nodes())) {
      herd.warmUp(running.key(KEY_TO_WARM_UP));
    }
    new ClientCalls(cluster.nodes())
        .run(running.key(KEY_WITH_SLOTS_TO_WARM_UP), WARM_UP_CALLS, event -> {});
    waitUntilEmpty(key);
    return isKept(run(cluster, key, out), ideal, out) ? 0 : 1;
  }

  private static void waitUntilEmpty(DemoKey key) {
    new CompletableFuture<Boolean>()
        .completeOnTimeout(true, key.burstMs() + 100, TimeUnit.MILLISECONDS)
        .join();
  }

  private Outcome run(ClusterFile cluster, DemoKey key, PrintWriter out)
      throws InterruptedException {
    HerdProgress progress = new HerdProgress(calls, out);
    try {
      return new ClientCalls(cluster.nodes()).run(key, calls, progress::add);
    } finally {
      progress.finish();
    }
  }

  private static boolean isKept(Outcome outcome, double ideal, PrintWriter out) {
    double seconds = outcome.tookNanos() / 1e9;
    boolean areAllAdmitted = outcome.admitted() == outcome.calls();
    boolean areFewAttempts = outcome.attemptsPerSuccess() <= MOST_ATTEMPTS;
    boolean isInTime = seconds <= ideal * LATEST;
    out.println();
    line(out, areAllAdmitted, "calls that succeeded", "%d".formatted(outcome.admitted()), "all");
    line(
        out,
        outcome.rejected() == 0,
        "calls that failed with 429",
        "%d".formatted(outcome.rejected()),
        "none");
    line(
        out,
        areFewAttempts,
        "attempts per success",
        "%.3f".formatted(outcome.attemptsPerSuccess()),
        "at most %.1f".formatted(MOST_ATTEMPTS));
    line(
        out,
        isInTime,
        "seconds",
        "%.2f".formatted(seconds),
        "at most %.2f".formatted(ideal * LATEST));
    out.flush();
    return areAllAdmitted && areFewAttempts && isInTime;
  }

  private static void line(
      PrintWriter out, boolean isKept, String what, String figure, String aim) {
    out.printf(Locale.ROOT, "%-27s | %8s | %-13s | %s%n", what, figure, aim, isKept ? "yes" : "NO");
  }
}
