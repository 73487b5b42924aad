package io.weir.operators.command;

import io.weir.operators.replay.ReplayCommand;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The commands of operators who look. */
public final class InsightCommands {
  private InsightCommands() {}

  /**
   * All of them, as picocli objects.
   *
   * @param localAdmin the admin port of a cluster that runs on this machine
   */
  public static List<Object> all(Supplier<Optional<String>> localAdmin) {
    return List.of(
        new TopCommand(localAdmin),
        new DenialsCommand(localAdmin),
        new ExplainCommand(localAdmin),
        new ResetCommand(localAdmin),
        new ReplayCommand());
  }
}
