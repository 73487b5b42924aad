package io.weir.cluster;

import io.weir.cluster.command.DemoCommands;

/** The entry of the program. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(DemoCommands.run(System.getenv(), arguments));
  }
}
