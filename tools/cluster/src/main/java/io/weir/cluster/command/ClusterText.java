package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.state.connection.RedisAddress;
import io.weir.state.connection.RedisAddress.Topology;
import io.weir.state.wire.RedisKeys;
import java.io.PrintWriter;

/** Prints a demo cluster: its addresses, its keys, and commands to try. */
final class ClusterText {
  private ClusterText() {}

  static void print(ClusterFile cluster, PrintWriter out) {
    out.printf("Nodes:   %s%n", String.join("  ", cluster.nodes()));
    out.printf("Redis:   %s%n", RedisAddress.parse(cluster.redis()).withoutSecrets());
    out.printf(
        "Admin:   %s  WEIR_ADMIN_TOKEN=%s%n",
        String.join("  ", cluster.admins()), cluster.adminToken());
    cluster.admins().stream()
        .limit(1)
        .forEach(url -> out.printf("Page:    %s/  for operators, with the admin token%n", url));
    out.printf("Service: %s  (the service token)%n", cluster.serviceToken());
    if (!cluster.keys().isEmpty()) {
      printKeys(cluster, out);
    }
  }

  private static void printKeys(ClusterFile cluster, PrintWriter out) {
    int width =
        cluster.keys().stream().mapToInt(key -> key.key().length()).max().orElse(1);
    String columns = "%-" + width + "s %-8s %-10s %-13s %8s %8s%n";
    out.printf("%n" + columns, "Key", "Tenant", "Plan", "Operation", "ops/s", "burst ms");
    for (DemoKey key : cluster.keys()) {
      out.printf(
          columns,
          key.key(),
          key.tenant(),
          key.plan(),
          key.operation(),
          "%.0f".formatted(key.opsPerSec()),
          key.burstMs());
    }
  }

  /** A request through the gateway of one node, and a question to another. */
  static void tryWithCurl(DemoKey key, String node, String other, PrintWriter out) {
    out.printf("  curl -i -H 'X-Api-Key: %s' %s%s%n", key.key(), node, key.path());
    out.printf(
        "  curl -s -d '{\"key\": \"%s\", \"operation\": \"%s\", \"cost\": 30}' %s/v1/check%n",
        key.key(), key.operation(), other);
  }

  /** Commands that show a key's state, as a reader of this text can run them. */
  static void lookWith(DemoKey key, ClusterFile cluster, Surroundings here, PrintWriter out) {
    out.printf("  %s inspect %s/%s%n", here.weir(cluster), key.tenant(), id(key));
    RedisAddress address = RedisAddress.parse(cluster.redis());
    boolean isOpen = address.credentials().password().isEmpty();
    if (address.servers().topology() == Topology.SINGLE
        && !address.tls()
        && isOpen
        && here.hasRedisCli()) {
      out.printf(
          "  redis-cli -u %s --eval %s '%s' weir:policy%n",
          address.withoutSecrets(),
          Surroundings.quoted(here.home().resolve("lua/show.lua")),
          stateOf(key));
    }
  }

  /** The name of a key's state in Redis. */
  static String stateOf(DemoKey key) {
    return RedisKeys.key(key.tenant(), id(key));
  }

  private static String id(DemoKey key) {
    return key.key().substring(0, key.key().indexOf('.'));
  }
}
