package io.weir.node.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.contexts.AdminAddress;
import io.weir.node.contexts.Contexts;
import io.weir.node.contexts.KnownNodes;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir context}: names clusters, so that commands need no address. */
@Command(
    name = "context",
    description =
        "Names clusters, and chooses the one that commands ask. --context, or WEIR_CONTEXT, chooses another for once.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir context set prod --node https://weir:9080 --token-file ~/.weir-prod",
      "  weir context use prod"
    })
final class ContextCommand {
  private final KnownNodes nodes;

  @Spec
  private CommandSpec spec = CommandSpec.create();

  ContextCommand(KnownNodes nodes) {
    this.nodes = nodes;
  }

  private record Row(String mark, String name, AdminAddress address) {}

  @Command(
      description = "Lists the contexts; a star marks the one in use.",
      mixinStandardHelpOptions = true)
  int list(
      @Option(names = "--json", description = "prints JSON, a context on each line")
          boolean isJson) {
    Contexts contexts = nodes.contexts();
    Optional<String> current = contexts.current();
    List<Row> rows = contexts.names().stream()
        .sorted()
        .flatMap(name -> contexts.find(name).stream()
            .map(address -> new Row(current.equals(Optional.of(name)) ? "*" : "", name, address)))
        .toList();
    if (isJson) {
      rows.forEach(row -> out().println(json(row).encode()));
      return 0;
    }
    if (rows.isEmpty()) {
      out().println("There are no contexts: see weir context set --help.");
    }
    Table.<Row>of()
        .whole("", Row::mark)
        .whole("name", Row::name)
        .text("node", row -> row.address().node())
        .text(
            "token",
            row -> row.address().tokenFile().map(Path::toString).orElse("WEIR_ADMIN_TOKEN"))
        .print(rows, out());
    return 0;
  }

  private static JsonObject json(Row row) {
    JsonObject json = new JsonObject()
        .put("name", row.name())
        .put("node", row.address().node())
        .put("inUse", !row.mark().isEmpty());
    row.address().tokenFile().ifPresent(file -> json.put("tokenFile", file.toString()));
    return json;
  }

  /** The node of a context, and its token. Mutable; picocli sets its fields. */
  static final class Target {
    @Option(
        names = "--node",
        paramLabel = "URL",
        required = true,
        description = "the admin port of any node, or of a proxy before them")
    private String node = "";

    @Option(
        names = "--token-file",
        paramLabel = "FILE",
        description = "has the admin token; without it WEIR_ADMIN_TOKEN has it")
    private @Nullable Path tokenFile;

    AdminAddress address() {
      return new AdminAddress(node, Optional.ofNullable(tokenFile).map(Path::toAbsolutePath));
    }
  }

  @Command(description = "Adds a context, or changes it.", mixinStandardHelpOptions = true)
  int set(
      @Parameters(paramLabel = "NAME", description = "a name for the cluster") String name,
      @Mixin Target place) {
    nodes.contexts().put(name, place.address());
    return 0;
  }

  @Command(
      description = "Commands ask the cluster of this context.",
      mixinStandardHelpOptions = true)
  int use(@Parameters(paramLabel = "NAME", description = "a context") String name) {
    known(name).use(name);
    return 0;
  }

  @Command(description = "Forgets a context.", mixinStandardHelpOptions = true)
  int delete(@Parameters(paramLabel = "NAME", description = "a context") String name) {
    known(name).delete(name);
    return 0;
  }

  private Contexts known(String name) {
    Contexts contexts = nodes.contexts();
    if (contexts.find(name).isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "NAME: '%s' (expected: one of %s)"
              .formatted(
                  name, String.join(", ", contexts.names().stream().sorted().toList())));
    }
    return contexts;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
