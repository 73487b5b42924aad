package io.weir.cluster.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The directory with the description of the running cluster of this machine. */
final class ClusterDirectory {
  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "${env:WEIR_HOME:-.}/run",
      description = "where cluster.json is (${DEFAULT-VALUE})")
  private Path directory = Path.of("");

  RunningCluster read(PrintWriter out) throws IOException, InterruptedException {
    return RunningCluster.read(directory, out);
  }
}
