package io.weir.node.command;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.schema.Problem;
import io.weir.node.contexts.KnownNodes;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.document.SchemaDocument;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir policy}: checks policies and puts them in force. */
@Command(
    name = "policy",
    description = "Checks policies and puts them in force.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {PolicyCommand.Check.class, PolicyCommand.Schema.class, PolicyImport.class})
final class PolicyCommand {

  /** @param nodes the admin port that they ask */
  static CommandLine commandLine(KnownNodes nodes) {
    CommandLine line = new CommandLine(new PolicyCommand());
    PolicyAdminCommands.rows().forEach(row -> line.addSubcommand(RowCommand.of(row, nodes)));
    return line.addSubcommand(new PolicyCompare(nodes));
  }

  /** {@code weir policy check FILE}: reads a policy and reports every problem. */
  @Command(
      name = "check",
      description = "Reads a policy, prints every problem, and fails if it is refused.",
      versionProvider = WeirCommand.Version.class)
  static final class Check extends PrintingCommand {
    @Parameters(paramLabel = "FILE", description = PolicyInput.DESCRIPTION)
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException {
      PrintWriter out = out();
      try {
        PolicyReading reading =
            PolicyDocuments.parse(PolicyInput.name(file), PolicyInput.text(file));
        print(reading.warnings(), out);
        Policy policy = reading.policy();
        out.println(Wrapped.lines("%s: sound; %s, %s, %s, %s"
            .formatted(
                PolicyInput.name(file),
                CountWords.of(policy.buckets().size(), "bucket"),
                CountWords.of(policy.plans().size(), "plan"),
                CountWords.of(policy.callers().subjects().size(), "subject"),
                CountWords.of(reading.warnings().size(), "warning"))));
        return 0;
      } catch (InvalidPolicyException e) {
        print(e.problems(), out);
        return 1;
      }
    }

    private static void print(List<Problem> problems, PrintWriter out) {
      problems.forEach(problem -> out.println(Wrapped.lines(problem.toString())));
    }
  }

  /** {@code weir policy schema}: prints the JSON Schema of policies. */
  @Command(
      name = "schema",
      description =
          "Prints the JSON Schema of policies, by which editors complete and check a policy.",
      versionProvider = WeirCommand.Version.class)
  static final class Schema extends PrintingCommand {
    @Override
    public Integer call() {
      out().print(SchemaDocument.text());
      out().flush();
      return 0;
    }
  }
}
