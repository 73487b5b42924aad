package io.weir.demo.command;

import io.weir.demo.local.ClusterFile;
import io.weir.demo.local.ClusterFile.DemoKey;
import io.weir.demo.local.LimitsInForce;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;

/** The cluster that a demo drives, with the limits that are in force now. */
record RunningCluster(ClusterFile file, boolean isInForce) {

  /**
   * Reads its description and asks it for its policy.
   *
   * @throws IOException where none runs here, with what to do about it
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
   * A key with its limit.
   *
   * @throws IOException where there is none of this id, or the policy in force does not limit it
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
