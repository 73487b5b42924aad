package io.weir.cluster.local;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a local cluster.
 *
 * @param nodePorts the ports of the nodes, for callers
 * @param adminPorts the ports of the same nodes, for operators
 * @param redisUri an existing Redis; empty to start one
 * @param redisPort the port of the started Redis, 0 for any free one
 * @param upstreamPort the port of the demo upstream; empty for the one in the policy
 * @param keys the list of demo keys
 * @param directory the directory for {@code cluster.json} and the logs
 */
public record ClusterSetup(
    List<Integer> nodePorts,
    List<Integer> adminPorts,
    Optional<String> redisUri,
    int redisPort,
    Optional<Integer> upstreamPort,
    Path policy,
    Path keys,
    Path directory) {
  public ClusterSetup {
    if (nodePorts.size() != adminPorts.size()) {
      throw new IllegalArgumentException("%d ports and %d admin ports (expected: as many)"
          .formatted(nodePorts.size(), adminPorts.size()));
    }
  }
}
