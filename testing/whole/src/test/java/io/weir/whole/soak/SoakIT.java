package io.weir.whole.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.weir.cluster.local.NodeProcess;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.RedisTime;
import io.weir.whole.cluster.Baseline;
import io.weir.whole.soak.SoakCalls.Doors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every capability on three nodes for {@code -Dweir.minutes}, and not without: a node is killed, Redis is paused and
 * restarted, every ten minutes or more often in a short run; every hour, nodes are replaced by nodes of another build.
 * No limit is passed, and what a node and Redis hold is flat. {@code -Dweir.soak.record=FILE} gets a line for a run that
 * has passed; {@code scripts/soak} adds them up.
 */
@Tag("faults")
final class SoakIT {
  private static final int MINUTES = Integer.getInteger("weir.minutes", 0);
  private static final int NODES = 3;
  private static final Duration MOST_BETWEEN_FAULTS = Duration.ofMinutes(10);
  private static final int MINUTES_OF_AN_UPGRADE = 60;
  private static final Duration GONE = Duration.ofSeconds(5);
  private static final int SAMPLES = 60;
  // What is remembered for ten minutes, such as the ends of reservations, is complete by then.
  private static final double WARM_UP_MINUTES = 11;

  /** Faults, in their order. */
  private enum Fault {
    NODE_KILLED,
    REDIS_PAUSED,
    REDIS_RESTARTED
  }

  @TempDir
  private Path folder;

  private final SoakLedger ledger = new SoakLedger();
  private final SoakSamples samples = new SoakSamples();
  private final Map<Fault, Integer> faults = new TreeMap<>();
  private final List<Doors> doors = new ArrayList<>();
  private final NodeProcess[] nodes = new NodeProcess[NODES];
  private final int[] adminPorts = new int[NODES];
  private final String[] classPaths = new String[NODES];
  private SoakCalls calls;
  private int upgrades;
  private long committedAtFault;
  private RedisProcess redis;
  private Path policy;

  @Test
  void whateverFailsLimitsHoldAndMemoryIsFlat() throws Exception {
    assumeTrue(MINUTES > 0, "skipped: -Dweir.minutes is not given; scripts/soak gives it");
    assumeTrue(Files.exists(Path.of("/proc/self/fd")), "skipped: there is no /proc");
    String older = Baseline.jar();
    Vertx vertx = Vertx.vertx();
    try (SoakUpstream upstream = new SoakUpstream();
        RedisProcess appending = RedisProcess.start("--appendonly", "yes")) {
      redis = appending;
      policy = Files.writeString(folder.resolve("policy.yaml"), SoakLoad.policy(upstream.port()));
      for (int i = 0; i < NODES; i++) {
        List<Integer> ports = FreePorts.some(3);
        doors.add(new Doors("http://127.0.0.1:" + ports.get(0), ports.get(2)));
        adminPorts[i] = ports.get(1);
        classPaths[i] = i == 0 ? newer() : older;
      }
      // The state begins as that of the older build.
      for (int i = NODES - 1; i >= 0; i--) {
        start(i);
      }
      calls = new SoakCalls(vertx, List.copyOf(doors), ledger);
      SoakLoad load = new SoakLoad(calls, ledger);
      load.start();
      pass(load, older);
      load.end();
      judge(load, upstream);
    } finally {
      for (NodeProcess node : nodes) {
        if (node != null) {
          node.close();
        }
      }
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private void start(int index) throws Exception {
    Map<String, String> environment = Map.of(
        "WEIR_REDIS_URI",
        redis.uri(),
        "WEIR_POLICY",
        policy.toString(),
        "WEIR_SERVICE_TOKEN",
        SoakCalls.SERVICE,
        "WEIR_ENVOY_PORT",
        Integer.toString(doors.get(index).envoy()),
        "WEIR_EVENT_LOOPS",
        "1");
    String url = doors.get(index).url();
    nodes[index] = NodeProcess.start(
        classPaths[index],
        Integer.parseInt(url.substring(url.lastIndexOf(':') + 1)),
        adminPorts[index],
        environment,
        folder.resolve("node-" + index + ".log"),
        NodeProcess.Archiving.OFF);
    nodes[index].awaitReady();
  }

  private static String newer() {
    return System.getProperty("java.class.path");
  }

  /** Faults and upgrades at equal distances, a sample between two of {@value #SAMPLES}. */
  private void pass(SoakLoad load, String older) throws Exception {
    Duration length = Duration.ofMinutes(MINUTES);
    Duration between = length.dividedBy(4);
    between = between.compareTo(MOST_BETWEEN_FAULTS) > 0 ? MOST_BETWEEN_FAULTS : between;
    long begun = System.nanoTime();
    long nextFault = between.toNanos();
    Duration upgraded = length.dividedBy((MINUTES - 1) / MINUTES_OF_AN_UPGRADE + 1);
    long nextUpgrade = upgraded.toNanos() / 2;
    for (int i = 1; i <= SAMPLES; i++) {
      long due = length.toNanos() * i / SAMPLES;
      RealTime.pass(Duration.ofNanos(Math.max(0, begun + due - System.nanoTime())));
      samples.take(nodes[0], redis);
      if (due >= nextFault && i < SAMPLES - 1) {
        Fault fault = Fault.values()[(int) (nextFault / between.toNanos() - 1) % 3];
        fail(fault);
        committedAtFault = load.committed;
        faults.merge(fault, 1, Integer::sum);
        nextFault += between.toNanos();
      } else if (due >= nextUpgrade) {
        replace(upgrades % 2 == 0 ? newer() : older);
        upgrades++;
        nextUpgrade += upgraded.toNanos();
      }
    }
  }

  /** Replaces one node after the other, as behind a load balancer: each request is answered. */
  private void replace(String classPath) throws Exception {
    calls.lost.clear();
    for (int i = 1; i < NODES; i++) {
      Doors out = doors.get(i);
      calls.use(doors.stream().filter(door -> !door.equals(out)).toList());
      RealTime.pass(GONE);
      nodes[i].close();
      classPaths[i] = classPath;
      start(i);
      calls.use(doors);
    }
    assertThat(calls.lost).as("requests that were lost in an upgrade").isEmpty();
  }

  // The first node is never killed: its memory is sampled.
  private void fail(Fault fault) throws Exception {
    long from = RedisTime.nanos();
    switch (fault) {
      case NODE_KILLED -> {
        int victim = 1 + faults.getOrDefault(fault, 0) % (NODES - 1);
        nodes[victim].kill();
        RealTime.pass(GONE);
        start(victim);
      }
      case REDIS_PAUSED -> {
        ledger.away(from, from + GONE.toNanos());
        redis.pause();
        RealTime.pass(GONE);
        redis.resume();
        ledger.away(from, RedisTime.nanos());
      }
      case REDIS_RESTARTED -> {
        ledger.away(from, from + GONE.toNanos());
        redis.kill();
        RealTime.pass(GONE);
        redis.restart();
        ledger.away(from, RedisTime.nanos());
      }
    }
  }

  private void judge(SoakLoad load, SoakUpstream upstream) throws IOException {
    SoftAssertions all = new SoftAssertions();
    double warmUp = Math.min(0.6, WARM_UP_MINUTES / MINUTES);
    Map<String, Double> above = new TreeMap<>();
    // With a share of each node, half of a burst and one operation each, after an outage.
    above.put("Ask", ledger.above("Ask", 20, 10, 30 + NODES));
    above.put("Stream", ledger.above("Stream", 80, 40, 0));
    above.put("Reserve", ledger.above("Reserve", 8, 2, 0));
    above.put("Item", ledger.above("Item", 10, 5, 0));
    above.put("Envoy", ledger.above("Envoy", 5, 5, 0));
    Map<String, Object> piece = piece(load, upstream, above, warmUp);
    System.out.println("soak: " + piece + ", " + ledger);
    System.out.println("soak: 503 or 504 without a fault: " + calls.reasons);
    above.forEach((limit, over) ->
        all.assertThat(over).as("operations above " + limit).isLessThanOrEqualTo(0));
    all.assertThat(ledger.counts())
        .containsKeys("Ask", "Stream", "Reserve", "Item", "Envoy", "Pay");
    all.assertThat(ledger.mostInAMinute("Pay")).as("the quota").isBetween(1L, 60L);
    all.assertThat(upstream.mostHeld.get()).as("the permits").isBetween(1, 3);
    all.assertThat(load.jobs.get()).as("jobs").isPositive();
    all.assertThat(load.committed)
        .as("committed after the last fault")
        .isGreaterThan(committedAtFault);
    all.assertThat(calls.failures).as("answers").isEmpty();
    if (MINUTES * warmUp >= WARM_UP_MINUTES) {
      all.assertThat(samples.grown(warmUp)).as("what has grown").isEmpty();
    }
    all.assertAll();
    assertThat(faults).as("faults").hasSize(Fault.values().length);
    assertThat(upgrades).as("upgrades").isPositive();
    String file = System.getProperty("weir.soak.record", "");
    if (!file.isEmpty()) {
      SoakRecord.add(Path.of(file), piece);
    }
  }

  private Map<String, Object> piece(
      SoakLoad load, SoakUpstream upstream, Map<String, Double> above, double warmUp) {
    Map<String, Object> piece = new LinkedHashMap<>();
    piece.put(
        "ended",
        Instant.ofEpochSecond(RedisTime.nanos() / 1_000_000_000).truncatedTo(ChronoUnit.MINUTES));
    piece.put("commit", System.getProperty("weir.soak.commit", "unknown"));
    piece.put("minutes", MINUTES);
    piece.put("requests", calls.sent);
    piece.put("unanswered", calls.unanswered);
    piece.put("503 or 504", calls.unavailable);
    piece.put("503 or 504 without a fault", calls.unforeseen);
    for (Fault fault : Fault.values()) {
      piece.put(
          fault.name().toLowerCase(Locale.ROOT).replace('_', ' '), faults.getOrDefault(fault, 0));
    }
    piece.put("upgrades", upgrades);
    piece.put("jobs", load.jobs);
    piece.put(
        "jobs executed again",
        upstream.executions.values().stream().filter(count -> count > 1).count());
    piece.put("ranges", load.committed / SoakLoad.RANGE);
    double worst = above.values().stream().mapToDouble(one -> one).max().orElse(0);
    piece.put("operations above a rate", Math.max(0, (long) Math.ceil(worst)));
    piece.put("held of 3", upstream.mostHeld);
    piece.put("used of 60", ledger.mostInAMinute("Pay"));
    samples.halves(warmUp).forEach((quantity, halves) -> {
      piece.put(quantity.title() + " 1", halves[0]);
      piece.put(quantity.title() + " 2", halves[1]);
    });
    return piece;
  }
}
