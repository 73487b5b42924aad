package io.weir.node;

import io.weir.node.command.WeirCommand;
import io.weir.node.log.BoundedLoggers;

/** The entry point of the program. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    BoundedLoggers.install();
    System.exit(WeirCommand.run(System.getenv(), arguments));
  }
}
