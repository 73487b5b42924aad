package io.weir.node.command;

import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.nio.file.Path;

/** The policy that a command gets: a file, or {@code -} for the standard input. */
final class PolicyInput {
  /** The description of the argument in the help. */
  static final String DESCRIPTION = "policy, YAML or JSON; - for the standard input";

  private static final String INPUT = "-";

  private PolicyInput() {}

  /** Its name, for messages. */
  static String name(Path file) {
    return isInput(file) ? "standard input" : file.toString();
  }

  static String text(Path file) throws IOException {
    if (!isInput(file)) {
      return PolicyDocuments.text(file);
    }
    byte[] bytes = System.in.readNBytes(PolicyDocuments.MAX_BYTES + 1);
    if (bytes.length > PolicyDocuments.MAX_BYTES) {
      throw new IOException("%s: too long (expected: at most %d bytes)"
          .formatted(name(file), PolicyDocuments.MAX_BYTES));
    }
    return PolicyDocuments.text(name(file), bytes);
  }

  private static boolean isInput(Path file) {
    return file.toString().equals(INPUT);
  }
}
