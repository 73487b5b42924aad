package io.weir.node;

import io.weir.node.command.WeirCommand;

/** The entry of the program. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(WeirCommand.run(System.getenv(), arguments));
  }
}
