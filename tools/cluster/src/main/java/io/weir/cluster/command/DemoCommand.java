package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.Crowd;
import io.weir.node.command.CountWords;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir demo}: callers of one key on all nodes, and their answers, second by second. */
@Command(
    name = "demo",
    description =
        "Drives concurrent callers of one key through all nodes of the local cluster and prints, "
            + "per second, how many each node admitted and rejected, beside the limit.",
    subcommands = {HerdCommand.class, ClientCommand.class, UpstreamCommand.class, FilesCommand.class
    },
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class DemoCommand extends PrintingCommand {
  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "8",
      description = "how long (${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--callers",
      paramLabel = "N",
      defaultValue = "64",
      description = "how many at once (${DEFAULT-VALUE})")
  private int callers;

  @Option(
      names = "--key",
      paramLabel = "ID",
      defaultValue = "plain",
      description = "id of a key in cluster.json (${DEFAULT-VALUE})")
  private String keyId = "";

  @Mixin
  private ClusterDirectory directory = new ClusterDirectory();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = out();
    RunningCluster running = directory.read(out);
    DemoKey key = running.key(keyId);
    ClusterFile cluster = running.file();
    Tally tally = new Tally(cluster.nodes().size());
    out.printf(
        "%s of %s: %.0f/s, burst %d ms%n",
        CountWords.of(callers, "caller"), keyId, key.opsPerSec(), key.burstMs());
    tally.printHead(cluster.nodes(), out);
    try (Crowd crowd = new Crowd(cluster.nodes(), key, callers)) {
      drive(crowd, tally, key, out);
    }
    double most = key.opsPerSec() * (seconds + key.burstMs() / 1000.0);
    out.printf(
        "Admitted: %d; the bucket holds at most %.0f in %d s.%n",
        tally.admittedInAll(), most, seconds);
    return tally.admittedInAll() > 0 ? 0 : 1;
  }

  private void drive(Crowd crowd, Tally tally, DemoKey key, PrintWriter out) {
    ScheduledExecutorService printer = Executors.newSingleThreadScheduledExecutor();
    ScheduledFuture<?> printing =
        printer.scheduleAtFixedRate(() -> tally.printSecond(key, out), 1, 1, TimeUnit.SECONDS);
    crowd.run(
        callers, Duration.ofSeconds(seconds), (answer, node) -> tally.add(node, answer.status()));
    printing.cancel(false);
    printer.shutdown();
  }

  /** Answers per node, per second. Mutable; counted on many threads, printed on one. */
  private static final class Tally {
    private final List<LongAdder> admitted = new ArrayList<>();
    private final List<LongAdder> rejected = new ArrayList<>();
    private final LongAdder all = new LongAdder();
    private final LongAdder others = new LongAdder();
    private int second;

    Tally(int nodes) {
      for (int i = 0; i < nodes; i++) {
        admitted.add(new LongAdder());
        rejected.add(new LongAdder());
      }
    }

    void add(int node, int status) {
      if (status == 200) {
        admitted.get(node).increment();
        all.increment();
      } else if (status == 429) {
        rejected.get(node).increment();
      } else {
        others.increment();
      }
    }

    long admittedInAll() {
      return all.sum();
    }

    void printHead(List<String> nodes, PrintWriter out) {
      out.printf("%n%6s", "second");
      nodes.forEach(node -> out.printf(" | %21s", node.replace("http://", "")));
      out.printf(" | %9s %9s %6s%n", "admitted", "rejected", "limit");
      out.flush();
    }

    void printSecond(DemoKey key, PrintWriter out) {
      second++;
      long admittedNow = 0;
      long rejectedNow = 0;
      out.printf("%6d", second);
      for (int i = 0; i < admitted.size(); i++) {
        long yes = admitted.get(i).sumThenReset();
        long no = rejected.get(i).sumThenReset();
        out.printf(" | %7d yes %6d no ", yes, no);
        admittedNow += yes;
        rejectedNow += no;
      }
      // In the first second the burst is added to the rate.
      double limit = key.opsPerSec() * (second == 1 ? 1 + key.burstMs() / 1000.0 : 1);
      out.printf(" | %9d %9d %6.0f", admittedNow, rejectedNow, limit);
      long failed = others.sumThenReset();
      out.println(failed == 0 ? "" : "  (%d without a decision)".formatted(failed));
      out.flush();
    }
  }
}
