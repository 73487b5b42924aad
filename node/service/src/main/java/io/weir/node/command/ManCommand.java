package io.weir.node.command;

import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** {@code weir man}: prints the manual page of all commands. */
@Command(
    name = "man",
    description = "Prints the manual page of all commands, in the format of man.",
    footerHeading = "%nExamples:%n",
    footer = {"  weir man > weir.1 && man ./weir.1"})
final class ManCommand extends PrintingCommand {
  @Override
  public Integer call() {
    PrintWriter out = out();
    out.print(ManualPage.of(spec().root().commandLine()));
    out.flush();
    return 0;
  }
}
