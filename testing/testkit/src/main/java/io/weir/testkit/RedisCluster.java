package io.weir.testkit;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis Cluster of processes, with the same number of replicas for each master. Owned by the test that started it,
 * and ended by {@link #close}.
 */
public final class RedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;
  // The length of a command on one line is limited.
  private static final int SLOTS_A_CALL = 4096;
  private static final int NODE_TIMEOUT_MILLIS = 1000;
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  private final List<RedisProcess> nodes;
  private final int masters;

  private RedisCluster(List<RedisProcess> nodes, int masters) {
    this.nodes = List.copyOf(nodes);
    this.masters = masters;
  }

  /** Starts a cluster and returns when all of its slots are served. */
  public static RedisCluster start(int masters, int replicasOfEach) {
    List<RedisProcess> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < masters * (1 + replicasOfEach); i++) {
        nodes.add(RedisProcess.start(
            FreePorts.ofCluster(),
            Map.of(),
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            Integer.toString(NODE_TIMEOUT_MILLIS),
            "--cluster-require-full-coverage",
            "no",
            "--repl-diskless-sync-delay",
            "0"));
      }
      RedisCluster cluster = new RedisCluster(nodes, masters);
      cluster.join();
      return cluster;
    } catch (RuntimeException e) {
      nodes.forEach(RedisProcess::close);
      throw e;
    }
  }

  /** The address for clients. */
  public String uri() {
    return "redis+cluster://" + addresses();
  }

  /** The hosts with their ports, separated by commas. */
  public String addresses() {
    return nodes.stream()
        .map(node -> RedisProcess.HOST + ":" + node.port())
        .collect(Collectors.joining(","));
  }

  /** All nodes; at first the masters come before the replicas. */
  public List<RedisProcess> nodes() {
    return nodes;
  }

  /** The master of a slot, according to the first node that answers. */
  public RedisProcess masterOf(int slot) {
    int port = nodes.stream()
        .flatMap(node -> tableIfThere(node).lines())
        .filter(line -> line.contains("master") && !line.contains("fail") && serves(line, slot))
        .mapToInt(RedisCluster::portOf)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no master of slot " + slot));
    return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
  }

  /** Moves a slot with all of its keys, key by key, like a resharding. */
  public void move(int slot, RedisProcess to) {
    RedisProcess from = masterOf(slot);
    to.ask("CLUSTER SETSLOT %d IMPORTING %s".formatted(slot, from.ask("CLUSTER MYID")));
    from.ask("CLUSTER SETSLOT %d MIGRATING %s".formatted(slot, to.ask("CLUSTER MYID")));
    for (String keys = keys(from, slot); !keys.isEmpty(); keys = keys(from, slot)) {
      keys.lines()
          .forEach(key ->
              from.ask("MIGRATE %s %d %s 0 2000".formatted(RedisProcess.HOST, to.port(), key)));
    }
    for (RedisProcess node : List.of(to, from)) {
      node.ask("CLUSTER SETSLOT %d NODE %s".formatted(slot, to.ask("CLUSTER MYID")));
    }
  }

  @Override
  public void close() {
    nodes.forEach(RedisProcess::close);
  }

  private void join() {
    for (int i = 0; i < masters; i++) {
      RedisProcess master = nodes.get(i);
      int end = SLOTS * (i + 1) / masters;
      for (int from = SLOTS * i / masters; from < end; from += SLOTS_A_CALL) {
        master.ask(IntStream.range(from, Math.min(end, from + SLOTS_A_CALL))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(" ", "CLUSTER ADDSLOTS ", "")));
      }
      master.ask("CLUSTER SET-CONFIG-EPOCH " + (i + 1));
    }
    for (RedisProcess node : nodes) {
      nodes.get(0).ask("CLUSTER MEET %s %d".formatted(RedisProcess.HOST, node.port()));
    }
    await(() -> nodes.stream()
        .allMatch(node ->
            table(node).lines().count() == nodes.size() && !table(node).contains("handshake")));
    for (int i = masters; i < nodes.size(); i++) {
      RedisProcess replica = nodes.get(i);
      String master = nodes.get(i % masters).ask("CLUSTER MYID");
      await(() -> replica.ask("CLUSTER REPLICATE " + master).equals("+OK"));
    }
    await(() -> nodes.stream()
        .allMatch(node -> node.ask("CLUSTER INFO").contains("cluster_state:ok")
            && node.ask("CLUSTER INFO").contains("cluster_slots_ok:" + SLOTS)));
    await(() -> nodes.stream()
        .skip(masters)
        .allMatch(replica -> replica.ask("INFO replication").contains("master_link_status:up")));
  }

  private static String keys(RedisProcess node, int slot) {
    return node.ask("CLUSTER GETKEYSINSLOT %d 10".formatted(slot));
  }

  private static String tableIfThere(RedisProcess node) {
    try {
      return table(node);
    } catch (UncheckedIOException e) {
      return "";
    }
  }

  private static String table(RedisProcess node) {
    return node.ask("CLUSTER NODES").strip();
  }

  private static int portOf(String line) {
    String address = line.split(" ", 3)[1];
    return Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@')));
  }

  private static boolean serves(String line, int slot) {
    String[] words = line.split(" ", -1);
    for (int i = 8; i < words.length; i++) {
      if (!words[i].startsWith("[")) {
        String[] range = words[i].split("-", 2);
        int from = Integer.parseInt(range[0]);
        int to = Integer.parseInt(range[range.length - 1]);
        if (from <= slot && slot <= to) {
          return true;
        }
      }
    }
    return false;
  }

  static void await(BooleanSupplier condition) {
    await(condition, READY_WITHIN);
  }

  static void await(BooleanSupplier condition, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not ready within " + atMost);
      }
      RealTime.pass(Duration.ofMillis(50));
    }
  }
}
