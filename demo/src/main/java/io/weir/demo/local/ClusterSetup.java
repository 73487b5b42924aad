package io.weir.demo.local;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a local cluster.
 *
 * @param nodePorts a node on each
 * @param adminPorts of the same nodes, for operators
 * @param redisUri an existing Redis; empty for one of its own
 * @param redisPort the port of its own Redis, 0 for any free one
 * @param upstreamPort the port of the demo upstream; empty for the one in the policy
 * @param keys the list of demo keys
 * @param directory where {@code cluster.json} and the logs go
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
