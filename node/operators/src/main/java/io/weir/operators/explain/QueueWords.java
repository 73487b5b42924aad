package io.weir.operators.explain;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tells the lines of a queue, {@code STATE FIELD UNITS (words)}, in sentences. */
final class QueueWords {
  private static final Pattern SLOT =
      Pattern.compile("\\S+ due_at_\\d+ (\\d+) \\(.*\\bat (\\S+)\\)");
  private static final Pattern LIMIT =
      Pattern.compile("\\S+ ([^@\\s]+)\\S*\\.(due|turn|own_turn|larger) \\d+ \\((.*)\\)");
  private static final Map<String, String> MEANING = Map.of(
      "due", "is due to callers with a retry time:",
      "turn", "the next newcomer may come at",
      "own_turn", "this key may come again at",
      "larger", "others leave room for the largest cost without a place:");

  private QueueWords() {}

  static String of(String line) {
    Matcher slot = SLOT.matcher(line);
    if (slot.matches()) {
      return "%s operations are due at %s, to callers without a ticket."
          .formatted(slot.group(1), slot.group(2));
    }
    Matcher limit = LIMIT.matcher(line);
    return limit.matches()
        ? "%s: %s %s."
            .formatted(
                limit.group(1),
                MEANING.getOrDefault(limit.group(2), limit.group(2)),
                limit.group(3))
        : "waiting: " + line;
  }
}
