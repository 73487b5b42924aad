package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.node.command.WeirCommand;
import io.weir.node.contexts.LocalNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;

/** {@code weir} with the commands around a local cluster. */
public final class DemoCommands {
  private DemoCommands() {}

  /** Runs a command; returns 0, 1 after a failure, or 2 on wrong arguments. */
  public static int run(Map<String, String> environment, String... arguments) {
    return commandLine(environment).execute(arguments);
  }

  static CommandLine commandLine(Map<String, String> environment) {
    Path home = Path.of(environment.getOrDefault("WEIR_HOME", "."));
    Path run = home.resolve("run");
    return WeirCommand.commandLine(
        environment,
        () -> cluster(run).map(ClusterFile::redis),
        () -> cluster(run)
            .map(running -> new LocalNode(running.admins().get(0), running.adminToken())),
        List.of(new UpCommand(), new DemoCommand(), new ReplayVectorsCommand()));
  }

  private static Optional<ClusterFile> cluster(Path directory) {
    try {
      return Files.exists(directory.resolve("cluster.json"))
          ? Optional.of(ClusterFile.ofRunning(directory))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
