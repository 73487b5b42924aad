package io.weir.node.command;

import io.weir.policy.InvalidPolicyException;
import io.weir.throttle.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weir}: the command line. */
@Command(
    name = "weir",
    description = "One limit and one honest Retry-After on every node.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class WeirCommand {
  private static final int FAILED = 1;

  private WeirCommand() {}

  /** Runs a command; gives 0, 1 where something failed, or 2 on wrong arguments. */
  public static int run(Map<String, String> environment, String... arguments) {
    return commandLine(environment).execute(arguments);
  }

  static CommandLine commandLine(Map<String, String> environment) {
    CommandLine line = new CommandLine(new WeirCommand())
        .addSubcommand(NodeCommand.commandLine(environment))
        .addSubcommand(new PolicyCommand())
        .addSubcommand(new KeyCommand())
        .addSubcommand(new InspectCommand())
        .addSubcommand(new ReplayVectorsCommand())
        .addSubcommand(new UpCommand())
        .addSubcommand(new DemoCommand());
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(WeirCommand::tell);
  }

  // What a user can mend is told in a sentence; anything else is a fault of ours and keeps its
  // trace.
  private static int tell(Exception error, CommandLine line, CommandLine.ParseResult parsed)
      throws Exception {
    if (error instanceof InvalidPolicyException
        || error instanceof StoreUnavailableException
        || error instanceof UncheckedIOException
        || error instanceof IOException
        || error instanceof IllegalArgumentException) {
      line.getErr().println(error.getMessage());
      return FAILED;
    }
    throw error;
  }
}
