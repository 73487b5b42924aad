package io.weir.node.command;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the values of options. */
final class OptionValues {
  static final int MOST_PORT = 65_535;

  private OptionValues() {}

  /** The value; throws {@link ParameterException} if it is out of its range. */
  static int inRange(CommandSpec spec, String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw wrong(spec, option, Integer.toString(value), "%d to %d".formatted(min, max));
    }
    return value;
  }

  /** The refusal of a value. */
  static ParameterException wrong(CommandSpec spec, String option, String value, String expected) {
    return new ParameterException(
        spec.commandLine(), "%s: %s (expected: %s)".formatted(option, value, expected));
  }
}
