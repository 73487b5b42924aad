package io.weir.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.benchmarks.core.CoreBench;
import io.weir.benchmarks.http.CrowdBench;
import io.weir.benchmarks.http.DoorsBench;
import io.weir.benchmarks.http.GatewayBench;
import io.weir.benchmarks.http.HostileBench;
import io.weir.benchmarks.http.HttpBench;
import io.weir.benchmarks.http.OperatorsBench;
import io.weir.benchmarks.http.PlainServer;
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
            + "Prints medians and how they compare with the first.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  private static final Duration SOAK_WINDOW = Duration.ofSeconds(30);

  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--quick",
      description = "fewer loads and contenders, shorter: the main ratios in under 3 minutes")
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
      split = ";",
      description = "some contenders, by the beginnings of their names, with ; between them")
  private List<String> only = List.of();

  @Option(
      names = "--soak",
      paramLabel = "MINUTES",
      description = "mixed load on one node for this time, and nothing else")
  private Optional<Integer> soak = Optional.empty();

  @Option(
      names = "--isolation",
      description = "what one key can take from the others, attack by attack, and nothing else")
  private boolean isolation;

  @Option(
      names = "--crowds",
      description = "what callers get from a limit on three nodes, 12 minutes, and nothing else")
  private boolean crowds;

  @Option(
      names = "--small-limits",
      description =
          "what callers get from small limits on three nodes, 2 minutes, and nothing else")
  private boolean smallLimits;

  @Option(
      names = "--gateways",
      description = "limiters inside Spring Cloud Gateway, and how a herd passes, and nothing else")
  private boolean gateways;

  @Option(names = "--gateway-jar", paramLabel = "FILE", hidden = true)
  private Path gatewayJar = Path.of("tools", "benchmarks", "gateway", "target", "gateway.jar");

  @Option(
      names = "--operators",
      description = "the cost of what operators see: a node with it and without, and nothing else")
  private boolean operators;

  @Option(
      names = "--doors",
      description = "HTTP, Envoy's protocol and the Redis protocol of a node, and nothing else")
  private boolean doors;

  @Option(names = "--queue", description = "Redis's time for places and returns, and nothing else")
  private boolean queue;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "so many nodes with few callers each, such as 100, and nothing else")
  private Optional<Integer> nodes = Optional.empty();

  @Option(
      names = "--jobs",
      paramLabel = "N",
      split = ",",
      description = "jobs with so many in the queue, such as 100,100000, and nothing else")
  private List<Integer> jobs = List.of();

  @Option(names = "--json", paramLabel = "FILE", description = "every figure, as JSON")
  private Optional<Path> json = Optional.empty();

  @Option(names = "--svg", paramLabel = "FILE", description = "decisions a second, as a chart")
  private Optional<Path> svg = Optional.empty();

  @Option(names = "--serve", paramLabel = "PORT,UPSTREAM", split = ",", hidden = true)
  private List<Integer> serve = List.of();

  @Option(names = "--worker", paramLabel = "URI", hidden = true)
  private Optional<String> worker = Optional.empty();

  /** Runs it; returns 0, or 2 on wrong arguments. */
  public static void main(String... arguments) {
    System.exit(new CommandLine(new BenchCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (!serve.isEmpty()) {
      PlainServer.serve(serve.get(0), serve.get(1));
    }
    if (worker.isPresent()) {
      out.println(TwoProcesses.work(worker.get(), only.get(0), duration()));
      return 0;
    }
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
        RedisProbe probe = new RedisProbe(redis.uri())) {
      int processors = Runtime.getRuntime().availableProcessors();
      String java = System.getProperty("java.version");
      String machine =
          "%d processors, Java %s, Redis %s".formatted(processors, java, probe.version());
      out.println(machine);
      Map<String, Object> results = new LinkedHashMap<>();
      results.put("machine", machine);
      if (queue) {
        results.put(
            "queue", QueueBench.runAll(redis.uri(), probe, out, rounds.orElse(QueueBench.ROUNDS)));
      } else if (nodes.isPresent()) {
        results.put("nodes", QuietNodes.measure(redis.uri(), nodes.get(), rounds(probe)));
      } else if (crowds) {
        results.put("crowds", new CrowdBench(http(redis.uri(), probe), out).measure());
      } else if (smallLimits) {
        results.put("smallLimits", new CrowdBench(http(redis.uri(), probe), out).measureSmall());
      } else if (gateways) {
        results.put("herds", new HerdBench(redis.uri(), out).measure());
        results.put("gateways", gateways(redis.uri(), probe));
      } else if (operators) {
        results.put(
            "operators",
            new OperatorsBench(http(redis.uri(), probe), out).measure(roundCount(), duration()));
      } else if (doors) {
        List<Measurement> measured =
            new DoorsBench(http(redis.uri(), probe), out).measure(roundCount(), duration());
        ResultTable.print("Doors", measured, out);
        results.put("doors", measured);
      } else if (isolation) {
        isolation(redis.uri(), probe, results);
      } else if (!jobs.isEmpty()) {
        int[] sizes = jobs.stream().mapToInt(Integer::intValue).sorted().toArray();
        results.put("jobs", new JobBench(redis.uri(), probe, out).measure(sizes));
      } else if (soak.isPresent()) {
        Duration duration = Duration.ofMinutes(soak.get());
        results.put("soak", http(redis.uri(), probe).soak(duration, SOAK_WINDOW));
      } else {
        compare(redis.uri(), probe, results);
      }
      if (json.isPresent()) {
        ObjectMapper mapper = new ObjectMapper();
        mapper.writerWithDefaultPrettyPrinter().writeValue(json.get().toFile(), results);
      }
      return 0;
    }
  }

  private void isolation(String uri, RedisProbe probe, Map<String, Object> results)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Duration phase = Duration.ofMillis(millis.orElse(4000));
    if ((only.isEmpty() || only.contains("engine"))) {
      results.put("isolation", new IsolationBench(uri, probe, phase, out).measure());
    }
    if ((only.isEmpty() || only.contains("HTTP"))) {
      results.put(
          "hostile", new HostileBench(http(uri, probe), phase.multipliedBy(6), out).measure());
    }
  }

  private GatewayBench.Result gateways(String uri, RedisProbe probe)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    GatewayBench.Result result =
        new GatewayBench(uri, probe, gatewayJar, out).measure(roundCount(), duration());
    ResultTable.print("Spring Cloud Gateway", result.measurements(), out);
    return result;
  }

  private void compare(String uri, RedisProbe probe, Map<String, Object> results)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Contenders contenders = new Contenders(uri);
    List<Measurement> all = new ArrayList<>();
    for (Load load : Load.all(quick)) {
      Map<String, Supplier<Contender>> of =
          load.isDenied() ? contenders.denying() : contenders.admitting();
      List<Measurement> measured = rounds(probe).measure(load, wanted(of, load.isDenied()));
      ResultTable.print(load.toString(), measured, out);
      all.addAll(measured);
    }
    results.put("measurements", all);
    results.put(
        "twoProcessesPerSecond",
        quick
            ? Map.of()
            : TwoProcesses.measure(
                uri, probe, name -> isWanted(name, false), duration(), roundCount(), out));
    results.put(
        "bytesPerSubject",
        Footprint.measure(
            contenders, name -> isWanted(name, false), quick ? 100_000 : 1_000_000, probe, out));
    if (isWanted("JMH", false)) {
      results.put("core", CoreBench.measure(roundCount(), duration().toMillis(), out));
    }
    if (isWanted("HTTP", false)) {
      List<Measurement> http = http(uri, probe).measure(roundCount(), duration());
      ResultTable.print("HTTP", http, out);
      results.put("http", http);
    }
    if (svg.isPresent()) {
      ResultChart.write(svg.get(), all);
    }
  }

  private HttpBench http(String uri, RedisProbe probe) {
    return new HttpBench(
        uri, probe, BenchCommand.class.getName(), spec.commandLine().getOut());
  }

  private Rounds rounds(RedisProbe probe) {
    return new Rounds(roundCount(), duration(), probe, spec.commandLine().getOut());
  }

  private int roundCount() {
    return rounds.orElse(quick ? 3 : 5);
  }

  private Duration duration() {
    return Duration.ofMillis(millis.orElse(quick ? 700 : 2000));
  }

  private Map<String, Supplier<Contender>> wanted(
      Map<String, Supplier<Contender>> contenders, boolean isDenied) {
    Map<String, Supplier<Contender>> wanted = new LinkedHashMap<>(contenders);
    wanted.keySet().removeIf(name -> !isWanted(name, isDenied));
    return wanted;
  }

  private boolean isWanted(String name, boolean isDenied) {
    if (only.isEmpty()) {
      return !quick || isDenied || Contenders.QUICK.contains(name);
    }
    return only.stream().anyMatch(name::startsWith);
  }
}
