package io.weir.node.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir man}: prints the manual page of all commands. */
@Command(
    name = "man",
    description = "Prints the manual page of all commands, in the format of man.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {"  weir man > weir.1 && man ./weir.1"})
final class ManCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(ManualPage.of(spec.root().commandLine()));
    out.flush();
    return 0;
  }
}
