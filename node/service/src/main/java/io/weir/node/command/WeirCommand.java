package io.weir.node.command;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.contexts.LocalNode;
import io.weir.node.extension.Capabilities;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weir}: the command line. */
@Command(
    name = "weir",
    description =
        "A rate limiter for APIs: one limit for all machines, and a retry time for each caller.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir status",
      "  weir top --watch",
      "  weir explain k1 Search",
      "  weir keys boost k1 --bucket requests --ops-per-sec 40 --for 2h",
      "  weir policy apply policy.yaml --dry-run",
      "",
      "Commands that ask a node need its admin token in WEIR_ADMIN_TOKEN, or a context."
    })
public final class WeirCommand {
  private static final int FAILED = 1;

  private WeirCommand() {}

  /** Runs a command; returns 0, 1 if something failed, or 2 for wrong arguments. */
  public static int run(Map<String, String> environment, String... arguments) {
    return commandLine(environment, Optional::empty).execute(arguments);
  }

  /**
   * The command line of a node, or of a program around it.
   *
   * @param localRedis the shared state of a cluster that runs on this machine
   * @param more commands in addition to those of a node
   */
  public static CommandLine commandLine(
      Map<String, String> environment, Supplier<Optional<String>> localRedis, Object... more) {
    return commandLine(environment, localRedis, Optional::empty, List.of(more));
  }

  /**
   * The same.
   *
   * @param localNode a node of that cluster
   */
  public static CommandLine commandLine(
      Map<String, String> environment,
      Supplier<Optional<String>> localRedis,
      Supplier<Optional<LocalNode>> localNode,
      List<Object> more) {
    KnownNodes nodes = new KnownNodes(environment, localNode);
    Capabilities capabilities = Capabilities.onClassPath();
    CommandLine line = new CommandLine(new WeirCommand())
        .addSubcommand(NodeCommand.commandLine(environment))
        .addSubcommand(PolicyCommand.commandLine(nodes))
        .addSubcommand(new KeyCommand())
        .addSubcommand(InspectCommand.commandLine(localRedis, capabilities))
        .addSubcommand(new ContextCommand(nodes))
        .addSubcommand(new CompletionCommand())
        .addSubcommand(new ManCommand());
    capabilities
        .extensions()
        .forEach(extension -> extension.commands(nodes).forEach(line::addSubcommand));
    for (Object command : more) {
      line.addSubcommand(command);
    }
    WeirHelp.addTo(line);
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(WeirCommand::shown)
        .setExecutionExceptionHandler(WeirCommand::printError);
  }

  // The output of commands contains text that others have written: none of it controls the
  // terminal. Help has colors.
  private static int shown(CommandLine.ParseResult parsed) {
    List<CommandLine> named = parsed.asCommandLineList();
    if (named.stream()
        .anyMatch(one -> one.isUsageHelpRequested() || one.isVersionHelpRequested())) {
      return new CommandLine.RunLast().execute(parsed);
    }
    CommandLine line = named.get(0);
    PrintWriter out = line.getOut();
    PrintWriter err = line.getErr();
    try (ShownWriter shownOut = new ShownWriter(out);
        ShownWriter shownErr = new ShownWriter(err)) {
      line.setOut(new ShownPrinter(shownOut, out)).setErr(ShownPrinter.ofSentences(shownErr, err));
      return new CommandLine.RunLast().execute(parsed);
    } finally {
      line.setOut(out).setErr(err);
    }
  }

  // A mistake that a user can fix is one sentence; any other error is a fault of ours and keeps its
  // stack trace.
  private static int printError(Exception error, CommandLine line, CommandLine.ParseResult parsed)
      throws Exception {
    if (error instanceof InvalidPolicyException
        || error instanceof StoreUnavailableException
        || error instanceof UncheckedIOException
        || error instanceof IOException
        || error instanceof IllegalArgumentException) {
      line.getErr().println(Wrapped.lines(sentence(error)));
      return FAILED;
    }
    throw error;
  }

  // Some exceptions have only a file name as message, or none.
  private static String sentence(Throwable error) {
    String message = String.valueOf(error.getMessage());
    if (error instanceof NoSuchFileException) {
      return "%s: there is no such file".formatted(message);
    }
    if (error instanceof AccessDeniedException) {
      return "%s: no permission".formatted(message);
    }
    Throwable cause = error.getCause();
    if (error instanceof UncheckedIOException && cause != null) {
      boolean isCause = cause instanceof FileSystemException || message.equals(cause.toString());
      return isCause ? sentence(cause) : message;
    }
    return error.getMessage() == null ? error.getClass().getSimpleName() : message;
  }

  /** Supplies the text of {@code --version}. */
  public static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = WeirCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "weir %s, Java %s"
            .formatted(version == null ? "(not packaged)" : version, Runtime.version())
      };
    }
  }
}
