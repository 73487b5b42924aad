package io.weir.node.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that has {@code --help}, and prints where picocli says. Mutable; picocli sets its fields. */
@Command(mixinStandardHelpOptions = true)
public abstract class PrintingCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  CommandSpec spec() {
    return spec;
  }

  public PrintWriter out() {
    return spec.commandLine().getOut();
  }

  public final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** A wrong argument: ends the command with the message and how it is used. */
  public final ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
