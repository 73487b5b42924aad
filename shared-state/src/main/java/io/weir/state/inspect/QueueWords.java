package io.weir.state.inspect;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tells the lines of a queue, {@code STATE FIELD UNITS (words)}, in sentences. */
public final class QueueWords {
  private static final Pattern SLOT =
      Pattern.compile("\\S+ due_at_\\d+ (\\d+) \\(.*\\bat (\\S+)\\)");
  private static final Pattern LIMIT = Pattern.compile(
      "\\S+ ([^@\\s]+)\\S*\\.(due|turn|own_turn|larger) \\d+ \\((.*?)(?:, \\d+ of \\d+ parts kept)?\\)");
  private static final Map<String, String> MEANING = Map.of(
      "due", "reserved for callers with a retry time:",
      "turn", "the last estimate that a caller has ends at",
      "own_turn", "the last estimate of this key's callers ends at",
      "larger", "the largest request that waits has an estimate:");

  private static final Pattern INSTANT = Pattern.compile("\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z");

  private QueueWords() {}

  /** Whether a line no longer counts: its instant has passed since the state was written. */
  public static boolean isOver(String line, Instant now) {
    Matcher instant = INSTANT.matcher(line);
    return instant.find() && !Instant.parse(instant.group()).isAfter(now);
  }

  /** Whether a line is about one of these limits, or about none. */
  public static boolean isOf(String line, Set<String> limits) {
    Matcher limit = LIMIT.matcher(line);
    return !limit.matches() || limits.contains(limit.group(1));
  }

  /** A line as a sentence. */
  public static String of(String line) {
    return sentence(line).replaceAll(": 1 operations\\b", ": 1 operation");
  }

  private static String sentence(String line) {
    Matcher slot = SLOT.matcher(line);
    if (slot.matches()) {
      return "callers that wait whole seconds retry at %s: %s operations."
          .formatted(slot.group(2), slot.group(1));
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
