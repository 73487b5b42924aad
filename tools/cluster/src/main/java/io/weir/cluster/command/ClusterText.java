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
    out.printf("Service: %s%n%n", cluster.serviceToken());
    int width =
        cluster.keys().stream().mapToInt(key -> key.key().length()).max().orElse(1);
    String columns = "%-" + width + "s %-8s %-10s %-13s %8s %8s%n";
    out.printf(columns, "Key", "Tenant", "Plan", "Operation", "ops/s", "burst ms");
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

  /** A redis-cli command that shows a key's state, if it finds the state by one address. */
  static void lookWith(DemoKey key, String redis, PrintWriter out) {
    String id = key.key().substring(0, key.key().indexOf('.'));
    RedisAddress address = RedisAddress.parse(redis);
    boolean isOpen = address.credentials().password().isEmpty();
    if (address.topology() == Topology.SINGLE && !address.tls() && isOpen) {
      out.printf(
          "  redis-cli -u %s --eval lua/show.lua '%s' weir:policy%n",
          address.withoutSecrets(), RedisKeys.key(key.tenant(), id));
    } else {
      out.printf("  scripts/weir inspect %s/%s%n", key.tenant(), id);
    }
  }
}
