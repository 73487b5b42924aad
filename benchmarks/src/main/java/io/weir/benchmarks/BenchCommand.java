package io.weir.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.embedded.EmbeddedRedis;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code scripts/bench}: all contenders in turn, several times, on one Redis. */
@Command(
    name = "bench",
    description =
        "Measures Weir and its peers side by side on one Redis of its own: each in turn, several times. "
            + "Prints medians and how they compare with PING.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--quick",
      description = "fewer loads, shorter: the main ratios in under 3 minutes")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "how often each is measured (5; 3 with --quick)")
  private Optional<Integer> rounds = Optional.empty();

  @Option(
      names = "--millis",
      paramLabel = "N",
      description = "how long each is measured (2000; 700 with --quick)")
  private Optional<Integer> millis = Optional.empty();

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "some contenders, by the beginning of their names")
  private List<String> only = List.of();

  @Option(names = "--json", paramLabel = "FILE", description = "every figure, as JSON")
  private Optional<Path> json = Optional.empty();

  /** Runs it; gives 0, or 2 on wrong arguments. */
  public static void main(String... arguments) {
    System.exit(new CommandLine(new BenchCommand()).execute(arguments));
  }

  private record Load(int inFlight, int subjects) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
        RedisProbe probe = new RedisProbe(redis.uri())) {
      String machine = "%d processors, Java %s, Redis %s"
          .formatted(
              Runtime.getRuntime().availableProcessors(),
              System.getProperty("java.version"),
              probe.version());
      out.println(machine);
      List<Measurement> all = new ArrayList<>();
      for (Load load : loads()) {
        List<Measurement> measured = measure(load, new Contenders(redis.uri()).all(), probe, out);
        ResultTable.print(measured, out);
        all.addAll(measured);
      }
      if (json.isPresent()) {
        new ObjectMapper()
            .writerWithDefaultPrettyPrinter()
            .writeValue(json.get().toFile(), Map.of("machine", machine, "measurements", all));
      }
      return 0;
    }
  }

  private List<Load> loads() {
    return quick
        ? List.of(new Load(256, 10_000), new Load(256, 1))
        : List.of(
            new Load(1, 1),
            new Load(1, 10_000),
            new Load(16, 1),
            new Load(16, 10_000),
            new Load(256, 1),
            new Load(256, 10_000));
  }

  private List<Measurement> measure(
      Load load, Map<String, Supplier<Contender>> contenders, RedisProbe probe, PrintWriter out)
      throws InterruptedException {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    ClosedLoop loop = new ClosedLoop(probe, load.inFlight(), load.subjects());
    int last = rounds.orElse(quick ? 3 : 5);
    Duration duration = Duration.ofMillis(millis.orElse(quick ? 700 : 2000));
    for (int round = 1; round <= last; round++) {
      out.printf(
          "%d in flight, %d subjects: round %d of %d%n",
          load.inFlight(), load.subjects(), round, last);
      out.flush();
      for (Map.Entry<String, Supplier<Contender>> entry : contenders.entrySet()) {
        if (!isWanted(entry.getKey())) {
          continue;
        }
        probe.clear();
        try (Contender contender = entry.getValue().get()) {
          samples
              .computeIfAbsent(contender.name(), name -> new ArrayList<>())
              .add(loop.measure(contender, duration, duration));
        }
      }
    }
    List<Measurement> measured = new ArrayList<>();
    samples.forEach(
        (name, of) -> measured.add(new Measurement(name, load.inFlight(), load.subjects(), of)));
    return measured;
  }

  private boolean isWanted(String name) {
    return only.isEmpty() || only.stream().anyMatch(name::startsWith);
  }
}
