package io.weir.cluster.command;

import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.DemoFiles;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir demo files}: the files that a demo cluster in containers needs before it starts. */
@Command(
    name = "files",
    description =
        "Writes policy, node configuration and cluster.json for a demo cluster that runs elsewhere, with new "
            + "keys and tokens, and prints them. Files that are there already stay.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class FilesCommand extends PrintingCommand {
  @Option(
      names = "--nodes",
      split = ",",
      paramLabel = "URL",
      required = true,
      description = "what callers ask: nodes, or a load balancer before them")
  private List<String> nodes = List.of();

  @Option(
      names = "--admins",
      split = ",",
      paramLabel = "URL",
      required = true,
      description = "what operators ask: the admin ports of nodes")
  private List<String> admins = List.of();

  @Option(
      names = "--redis-uri",
      paramLabel = "URI",
      required = true,
      description = "where nodes find Redis")
  private String redisUri = "";

  @Option(
      names = "--upstream",
      paramLabel = "URL",
      required = true,
      description = "where nodes forward to")
  private String upstream = "";

  @Option(
      names = "--shown-as",
      paramLabel = "URL",
      required = true,
      description = "how the printed lines reach the nodes")
  private String shownAs = "";

  @Option(
      names = "--looked-with",
      paramLabel = "COMMAND",
      description = "the command that shows a state in Redis, printed with the name of one")
  private @Nullable String lookedWith;

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_HOME:-.}/examples/mainnet.yaml",
      description = "policy to start from (${DEFAULT-VALUE})")
  private Path policy = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_HOME:-.}/examples/keys.json",
      description = "the policy's demo keys (${DEFAULT-VALUE})")
  private Path keys = Path.of("");

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      required = true,
      description = "where the files go")
  private Path directory = Path.of("");

  @Override
  public Integer call() throws IOException {
    ClusterFile cluster = DemoFiles.write(
        new DemoFiles.Plan(nodes, admins, redisUri, upstream, policy, keys, directory));
    PrintWriter out = out();
    ClusterText.print(cluster, out);
    out.printf("%nTry:%n");
    cluster.keys().stream().limit(1).forEach(key -> {
      ClusterText.tryWithCurl(key, shownAs, shownAs, out);
      if (lookedWith != null) {
        out.printf("  %s '%s'%n", lookedWith, ClusterText.stateOf(key));
      }
    });
    out.flush();
    return 0;
  }
}
