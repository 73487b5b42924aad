package io.weir.node.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir completion}: prints a script by which a shell completes commands and options. */
@Command(
    name = "completion",
    description = "Prints a script by which bash or zsh complete commands and options.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {"  source <(weir completion)"})
final class CompletionCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash("weir", spec.root().commandLine()));
    out.flush();
    return 0;
  }
}
