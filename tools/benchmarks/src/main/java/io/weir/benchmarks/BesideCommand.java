package io.weir.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Runs the benchmarks of two builds in turn, each in processes of its own, and prints the medians of both and the median
 * of the ratios of neighbouring rounds: what a machine does meanwhile meets both.
 */
@Command(name = "bench --beside COMMIT", description = "Measures two builds in turn.")
public final class BesideCommand implements Callable<Integer> {
  private static final List<String> FIGURES =
      List.of("perSecond", "p50Micros", "cpuMicros", "redisCpuMicros");

  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Option(names = "--before", required = true, paramLabel = "CLASSPATH")
  private String before = "";

  @Option(names = "--now", required = true, paramLabel = "CLASSPATH")
  private String now = "";

  @Option(names = "--rounds", defaultValue = "5", paramLabel = "N")
  private int rounds;

  @Parameters(description = "arguments of the benchmark")
  private List<String> arguments = new ArrayList<>();

  /** Runs it; returns 0, 1 if a benchmark failed or no figure can be compared, or 2 on wrong arguments. */
  public static void main(String... arguments) {
    System.exit(command().execute(arguments));
  }

  static CommandLine command() {
    return new CommandLine(new BesideCommand()).setUnmatchedOptionsArePositionalParams(true);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Map<String, List<Double>> ofBefore = new LinkedHashMap<>();
    Map<String, List<Double>> ofNow = new LinkedHashMap<>();
    for (int round = 1; round <= rounds; round++) {
      out.printf("Round %d of %d%n", round, rounds);
      out.flush();
      boolean isNowFirst = round % 2 == 0;
      add(isNowFirst ? ofNow : ofBefore, measured(isNowFirst ? now : before));
      add(isNowFirst ? ofBefore : ofNow, measured(isNowFirst ? before : now));
    }
    out.printf("%-64s %12s %12s %8s%n", "", "before", "now", "ratio");
    ofBefore.forEach(
        (figure, values) -> print(figure, values, ofNow.getOrDefault(figure, List.of()), out));
    out.flush();
    boolean hasFigures = ofBefore.keySet().stream().anyMatch(ofNow::containsKey);
    if (!hasFigures) {
      spec.commandLine().getErr().println("both builds have no figure in common");
    }
    return hasFigures ? 0 : 1;
  }

  private static void add(Map<String, List<Double>> all, Map<String, Double> measured) {
    measured.forEach((figure, value) ->
        all.computeIfAbsent(figure, name -> new ArrayList<>()).add(value));
  }

  private static void print(String figure, List<Double> before, List<Double> now, PrintWriter out) {
    if (now.size() != before.size()) {
      return;
    }
    double[] ratios = new double[before.size()];
    Arrays.setAll(ratios, i -> now.get(i) / before.get(i));
    out.printf(
        Locale.ROOT,
        "%-64s %12.1f %12.1f %8.2f%n",
        figure,
        median(before.stream().mapToDouble(Double::doubleValue).toArray()),
        median(now.stream().mapToDouble(Double::doubleValue).toArray()),
        median(ratios));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  private Map<String, Double> measured(String classpath) throws IOException, InterruptedException {
    Path json = Files.createTempFile("weir-bench", ".json");
    try {
      List<String> command = new ArrayList<>(List.of(
          ProcessHandle.current().info().command().orElse("java"),
          "-cp",
          classpath,
          BenchCommand.class.getName(),
          "--rounds",
          "1",
          "--json",
          json.toString()));
      command.addAll(arguments);
      Process process = new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException("a benchmark ended with status " + status);
      }
      Map<String, Double> figures = new TreeMap<>();
      collect(new ObjectMapper().readTree(json.toFile()), figures);
      return figures;
    } finally {
      Files.delete(json);
    }
  }

  // All samples of a result, by the words of their row.
  private static void collect(JsonNode node, Map<String, Double> figures) {
    if (node.has("samples")) {
      JsonNode sample = node.get("samples").get(0);
      StringBuilder row = new StringBuilder(node.path("contender").asText());
      if (node.has("inFlight")) {
        row.append(", ").append(node.get("inFlight").asInt()).append(" in flight, ");
        row.append(node.get("subjects").asInt()).append(" subjects");
        row.append(node.get("isDenied").asBoolean() ? ", denied" : "");
      }
      FIGURES.stream()
          .filter(figure -> sample.path(figure).asDouble() > 0)
          .forEach(figure -> figures.put(row + ": " + figure, sample.get(figure).asDouble()));
    } else {
      node.forEach(child -> collect(child, figures));
    }
  }
}
