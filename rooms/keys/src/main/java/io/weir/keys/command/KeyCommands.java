package io.weir.keys.command;

import java.util.List;

/** The commands of this room. */
public final class KeyCommands {
  private KeyCommands() {}

  /** All of them. */
  public static List<Object> all() {
    return List.of();
  }
}
