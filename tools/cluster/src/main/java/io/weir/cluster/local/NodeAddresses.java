package io.weir.cluster.local;

import java.util.List;

/**
 * The addresses at which the nodes of a local cluster listen.
 *
 * @param host the address, such as {@code 127.0.0.1}, or {@code 0.0.0.0} in a container
 * @param ports the ports for callers, one of each node
 * @param adminPorts the ports of the same nodes, for operators
 */
public record NodeAddresses(String host, List<Integer> ports, List<Integer> adminPorts) {
  private static final String LOOPBACK = "127.0.0.1";

  public NodeAddresses {
    if (ports.size() != adminPorts.size()) {
      throw new IllegalArgumentException("%d ports and %d admin ports (expected: as many)"
          .formatted(ports.size(), adminPorts.size()));
    }
  }

  /** The addresses of nodes that this machine alone reaches. */
  public static NodeAddresses onLoopback(List<Integer> ports, List<Integer> adminPorts) {
    return new NodeAddresses(LOOPBACK, ports, adminPorts);
  }
}
