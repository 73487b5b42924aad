package io.weir.node.command;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code weir completion}: prints a script by which a shell completes commands and options. */
@Command(
    name = "completion",
    description = "Prints a script by which bash or zsh complete commands and options.",
    footerHeading = "%nExamples:%n",
    footer = {"  source <(weir completion)"})
final class CompletionCommand extends PrintingCommand {
  @Override
  public Integer call() {
    PrintWriter out = out();
    out.print(AutoComplete.bash("weir", spec().root().commandLine()));
    out.flush();
    return 0;
  }
}
