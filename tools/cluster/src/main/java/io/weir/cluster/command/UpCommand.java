package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.Crowd;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir up}: a whole cluster on this machine, until it is stopped. */
@Command(
    name = "up",
    description =
        "Starts a Redis (REDIS_URI, else redis-server of the PATH, else the bundled one), a demo "
            + "upstream and some nodes, shows one limit on all of them, and runs until Ctrl-C.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class UpCommand extends PrintingCommand {
  private static final String SHOWN_KEY = "hello.";
  private static final int SHOWN_CALLERS = 64;
  private static final Duration SHOWN_FOR = Duration.ofSeconds(2);
  private static final int SHOWN_AT_MOST = 4;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "on which the nodes listen; 0.0.0.0 in a container (${DEFAULT-VALUE})")
  private String host = "";

  @Option(
      names = "--ports",
      split = ",",
      paramLabel = "PORT",
      defaultValue = "8081,8082,8083",
      description = "a node on each (${DEFAULT-VALUE})")
  private List<Integer> ports = List.of();

  @Option(
      names = "--admin-ports",
      split = ",",
      paramLabel = "PORT",
      defaultValue = "9081,9082,9083",
      description = "of the same nodes, for operators (${DEFAULT-VALUE})")
  private List<Integer> adminPorts = List.of();

  @Option(
      names = "--redis-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "of the Redis it starts; 0 for any free one (${DEFAULT-VALUE})")
  private int redisPort;

  @Option(
      names = "--upstream-port",
      paramLabel = "PORT",
      description = "of the demo upstream (the one in the policy)")
  private @Nullable Integer upstreamPort;

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_HOME:-.}/examples/mainnet.yaml",
      description = "policy (${DEFAULT-VALUE})")
  private Path policy = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_HOME:-.}/examples/keys.json",
      description = "the policy's demo keys (${DEFAULT-VALUE})")
  private Path keys = Path.of("");

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "${env:WEIR_HOME:-.}/run",
      description = "where cluster.json and the logs go (${DEFAULT-VALUE})")
  private Path directory = Path.of("");

  @Option(
      names = "--in-container",
      description = "prints commands for a shell outside of the container that this runs in")
  private boolean isInContainer;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = out();
    LocalCluster cluster = LocalCluster.start(new ClusterSetup(
        new NodeAddresses(host, ports, adminPorts),
        Optional.ofNullable(System.getenv("REDIS_URI")).filter(uri -> !uri.isBlank()),
        redisPort,
        Optional.ofNullable(upstreamPort),
        policy,
        keys,
        directory));
    ClusterFile description = cluster.description();
    describe(description, out);
    show(description, out);
    cluster.announce();
    String end = System.getenv().getOrDefault("WEIR_ENDED_BY", "Ctrl-C");
    out.printf("%nReady (%s). %s ends it all.%n", directory.resolve("cluster.json"), end);
    out.flush();
    cluster.awaitClosed();
    return 0;
  }

  private void describe(ClusterFile cluster, PrintWriter out) {
    ClusterText.print(cluster, out);
    cluster.keys().stream().limit(1).forEach(key -> {
      out.printf("%nTry:%n");
      String node = cluster.nodes().get(0);
      String other = cluster.nodes().get(cluster.nodes().size() - 1);
      ClusterText.tryWithCurl(key, node, other, out);
      ClusterText.lookWith(
          key, cluster, Surroundings.of(System.getenv(), directory, isInContainer), out);
    });
    out.flush();
  }

  // Shows at the start that the limit holds: more requests than the limit at once, through all
  // nodes.
  private static void show(ClusterFile cluster, PrintWriter out) {
    Optional<DemoKey> shown =
        cluster.keys().stream().filter(key -> key.key().startsWith(SHOWN_KEY)).findFirst();
    if (shown.isEmpty()) {
      return;
    }
    Shown seen = crowd(cluster, shown.get());
    // The first requests of a node load classes: a slow machine sends too few to be rejected.
    for (int i = 1; i < SHOWN_AT_MOST && seen.waits().isEmpty(); i++) {
      seen = crowd(cluster, shown.get());
    }
    DemoKey key = shown.get();
    // By the time that it took, from before the first request to after the last answer.
    double most = key.opsPerSec() * (seen.took().toMillis() + key.burstMs()) / 1000;
    out.printf(
        "%nOne limit: %d callers of one key for %.1f s, through %s. A bucket of %.0f/s and %d ms"
            + " admits at most %.0f: %d were admitted, %d got a retry time.%n",
        SHOWN_CALLERS,
        seen.took().toMillis() / 1000.0,
        cluster.nodes().size() == 1 ? "one node" : cluster.nodes().size() + " nodes",
        key.opsPerSec(),
        key.burstMs(),
        most,
        seen.admitted(),
        seen.waits().size());
    seen.waits().stream()
        .findFirst()
        .ifPresent(wait -> out.printf("The first of them got: 429, Retry-After: %s%n", wait));
  }

  private static Shown crowd(ClusterFile cluster, DemoKey key) {
    LongAdder admitted = new LongAdder();
    ConcurrentLinkedQueue<Long> waits = new ConcurrentLinkedQueue<>();
    long begun = System.nanoTime();
    try (Crowd crowd = new Crowd(cluster.nodes(), key, SHOWN_CALLERS)) {
      crowd.run(SHOWN_CALLERS, SHOWN_FOR, (answer, node) -> {
        if (answer.isAdmitted()) {
          admitted.increment();
        } else if (answer.isRejected()) {
          waits.add(answer.retryAfterSeconds());
        }
      });
    }
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    return new Shown(took, admitted.sum(), List.copyOf(waits));
  }

  /** How long it took, the number of admitted requests, and the waits of the others, in seconds. */
  private record Shown(Duration took, long admitted, List<Long> waits) {}
}
