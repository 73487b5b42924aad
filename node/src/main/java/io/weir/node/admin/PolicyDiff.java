package io.weir.node.admin;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.List;

/** The difference of two documents, line by line, as {@code diff -u} shows it. */
final class PolicyDiff {
  private static final int CONTEXT = 3;
  private static final int MOST_LINES = 20_000;
  private static final int MOST_TOLD = 2000;

  private PolicyDiff() {}

  /** The difference; empty if there is none. Long ones are cut, and very long documents are not compared. */
  static String of(String oneName, String one, String otherName, String other) {
    if (one.equals(other)) {
      return "";
    }
    List<String> before = one.lines().toList();
    List<String> after = other.lines().toList();
    if (before.size() > MOST_LINES || after.size() > MOST_LINES) {
      return "%d and %d lines: too many to compare here%n".formatted(before.size(), after.size());
    }
    List<String> lines = UnifiedDiffUtils.generateUnifiedDiff(
        oneName, otherName, before, DiffUtils.diff(before, after), CONTEXT);
    StringBuilder text = new StringBuilder();
    lines.stream().limit(MOST_TOLD).forEach(line -> text.append(line).append('\n'));
    if (lines.size() > MOST_TOLD) {
      text.append("… and %d lines more%n".formatted(lines.size() - MOST_TOLD));
    }
    return text.toString();
  }
}
