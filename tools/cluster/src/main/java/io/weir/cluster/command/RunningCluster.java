package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import io.weir.cluster.local.LimitsInForce;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;

/** The running cluster of a demo, with the limits in force now. */
record RunningCluster(ClusterFile file, boolean isInForce) {

  /**
   * Reads its description and requests its policy.
   *
   * @throws IOException if none runs here; the message says what to do
   */
  static RunningCluster read(Path directory, PrintWriter out)
      throws IOException, InterruptedException {
    ClusterFile file = ClusterFile.ofRunning(directory);
    Optional<ClusterFile> inForce = LimitsInForce.of(file);
    if (inForce.isEmpty()) {
      out.println("No port for operators answers: the limits below are those of the start.");
    }
    return new RunningCluster(inForce.orElse(file), inForce.isPresent());
  }

  /**
   * Returns a key with its limit.
   *
   * @throws IOException if there is none with this id, or the policy in force does not limit it
   */
  DemoKey key(String id) throws IOException {
    return file.keys().stream()
        .filter(one -> one.key().startsWith(id + "."))
        .findFirst()
        .orElseThrow(() -> new IOException(
            isInForce
                ? "no key '%s' of cluster.json has a limit in the policy in force".formatted(id)
                : "cluster.json has no key '%s'".formatted(id)));
  }
}
