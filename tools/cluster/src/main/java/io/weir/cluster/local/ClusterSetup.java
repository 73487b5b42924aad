package io.weir.cluster.local;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The parts of a local cluster.
 *
 * @param nodes the addresses at which the nodes listen
 * @param redisUri an existing Redis; empty to start one
 * @param redisPort the port of the started Redis, 0 for any free one
 * @param upstreamPort the port of the demo upstream; empty for the one in the policy
 * @param keys the list of demo keys
 * @param directory the directory for {@code cluster.json} and the logs
 */
public record ClusterSetup(
    NodeAddresses nodes,
    Optional<String> redisUri,
    int redisPort,
    Optional<Integer> upstreamPort,
    Path policy,
    Path keys,
    Path directory) {
  // The folder of an archive often belongs to another user.
  void makeDirectory() throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (AccessDeniedException e) {
      throw new IOException(
          "%s: no permission to make it (--directory names another)".formatted(directory), e);
    }
  }
}
