package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.Herd;
import io.weir.cluster.local.Herd.Caller;
import io.weir.cluster.local.HerdAnimation;
import io.weir.cluster.local.HerdChart;
import io.weir.cluster.local.Patience;
import io.weir.node.command.CountWords;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir demo herd}: all callers of a key at the same moment, three times, and a chart. */
@Command(
    name = "herd",
    description =
        "Lets many callers of one key come at the same moment, through all nodes of the local cluster: once "
            + "with places, once with the time of the next token, once with exponential backoff. Prints what each second "
            + "brings, and demands attempts and waits.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class HerdCommand extends PrintingCommand {
  private static final int MOST_CALLERS = 20_000;
  private static final String KEY = "herd";
  private static final String KEY_WITHOUT_SLOTS = "next-token";

  @Parameters(
      paramLabel = "CALLERS",
      arity = "0..1",
      defaultValue = "1000",
      description = "how many (${DEFAULT-VALUE}; at most 20000)")
  private int callers;

  @Option(
      names = "--only",
      paramLabel = "KIND",
      description = "one kind of caller: ${COMPLETION-CANDIDATES}")
  private Patience[] kinds = Patience.values();

  @Option(
      names = "--longest",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description = "when to give a kind up (${DEFAULT-VALUE})")
  private int longest;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      defaultValue = "herd.svg",
      description = "where the chart goes (${DEFAULT-VALUE})")
  private Path chart = Path.of("");

  @Option(
      names = "--animation",
      paramLabel = "FILE",
      description = "also draws the run in motion, as SVG")
  private Optional<Path> animation = Optional.empty();

  @Mixin
  private ClusterDirectory directory = new ClusterDirectory();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (callers < 1 || callers > MOST_CALLERS) {
      throw wrong("CALLERS must be 1 to %d: %d".formatted(MOST_CALLERS, callers));
    }
    PrintWriter out = out();
    RunningCluster running = directory.read(out);
    DemoKey plain = running.key(KEY);
    DemoKey withoutSlots = running.key(KEY_WITHOUT_SLOTS);
    ClusterFile cluster = running.file();
    out.printf(
        "%s of one key at once, %.0f/s with a burst of %d ms, on %s: ideal is %.1f s.%n",
        CountWords.of(callers, "caller"),
        plain.opsPerSec(),
        plain.burstMs(),
        CountWords.of(cluster.nodes().size(), "node"),
        idealSeconds(plain));
    out.flush();
    Map<Patience, List<Caller>> herds = new EnumMap<>(Patience.class);
    try (Herd herd = new Herd(cluster.nodes())) {
      out.println("Warming up...");
      out.flush();
      herd.warmUp(withoutSlots);
      for (Patience patience : kinds) {
        DemoKey key = patience.usesTickets() ? plain : withoutSlots;
        herds.put(patience, run(herd, key, patience, out));
      }
    }
    out.println();
    HerdTable.print(herds, out);
    HerdChart.write(chart, herds);
    out.printf("%nThe chart: %s%n", chart);
    if (animation.isPresent()) {
      String title = "%s of one key at the same moment, limit %.0f/s"
          .formatted(CountWords.of(callers, "caller"), plain.opsPerSec());
      HerdAnimation.write(animation.get(), title, herds);
    }
    return herds.values().stream().flatMap(List::stream).allMatch(one -> one.admittedNanos() >= 0)
        ? 0
        : 1;
  }

  private double idealSeconds(DemoKey key) {
    return Math.max(0, callers / key.opsPerSec() - key.burstMs() / 1000.0);
  }

  private List<Caller> run(Herd herd, DemoKey key, Patience patience, PrintWriter out)
      throws InterruptedException {
    out.printf("%n%s%n", patience.text());
    HerdProgress progress = new HerdProgress(callers, out);
    try {
      return herd.run(key, callers, patience, Duration.ofSeconds(longest), progress::add);
    } finally {
      progress.finish();
    }
  }
}
