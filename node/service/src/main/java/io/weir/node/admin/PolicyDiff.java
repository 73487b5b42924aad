package io.weir.node.admin;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.List;

/** The difference of two documents, line by line, as {@code diff -u} shows it. */
final class PolicyDiff {
  private static final int CONTEXT = 3;
  // The time grows with the square of the lines between the first and the last difference.
  private static final int MOST_LINES = 3000;
  private static final int MOST_TOLD = 2000;

  private PolicyDiff() {}

  /** The difference; empty if there is none. Long ones are cut, and very long documents are not compared. */
  static String of(String oneName, String one, String otherName, String other) {
    if (one.equals(other)) {
      return "";
    }
    List<String> before = one.lines().toList();
    List<String> after = other.lines().toList();
    int same = same(before, after);
    if (Math.max(before.size(), after.size()) - same > MOST_LINES) {
      return "too much differs to be compared here: %d and %d lines, of which %d are the same%n"
          .formatted(before.size(), after.size(), same);
    }
    List<String> lines = UnifiedDiffUtils.generateUnifiedDiff(
        oneName, otherName, before, DiffUtils.diff(before, after), CONTEXT);
    StringBuilder text = new StringBuilder();
    lines.stream().limit(MOST_TOLD).forEach(line -> text.append(line).append('\n'));
    if (lines.size() > MOST_TOLD) {
      text.append("… and %d more%n".formatted(lines.size() - MOST_TOLD));
    }
    return text.toString();
  }

  // How many lines are the same at the beginning and at the end.
  private static int same(List<String> before, List<String> after) {
    int most = Math.min(before.size(), after.size());
    int begin = 0;
    while (begin < most && before.get(begin).equals(after.get(begin))) {
      begin++;
    }
    int end = 0;
    while (end < most - begin
        && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
      end++;
    }
    return begin + end;
  }
}
