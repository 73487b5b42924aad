package io.weir.core.policy;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that was probably meant by a mistyped one. */
public final class Nearest {
  private static final int MAX_DISTANCE = 3;

  private Nearest() {}

  /**
   * The name with the smallest edit distance, upper and lower case being the same; the first in the order of the
   * alphabet if there are several, and none if all of them are further away than a typing error.
   */
  public static Optional<String> to(String mistyped, Collection<String> names) {
    String text = mistyped.toLowerCase(Locale.ROOT);
    int most = Math.min(MAX_DISTANCE, 1 + text.length() / 4);
    String nearest = "";
    for (String name : names) {
      int distance = distance(text, name.toLowerCase(Locale.ROOT), most);
      boolean isNearer = distance < most || nearest.isEmpty() || name.compareTo(nearest) < 0;
      if (distance <= most && isNearer) {
        most = distance;
        nearest = name;
      }
    }
    return nearest.isEmpty() ? Optional.empty() : Optional.of(nearest);
  }

  // Levenshtein's distance, but 1 if two neighbours are swapped; any number above the most if it is
  // above: then it ends early.
  private static int distance(String one, String other, int most) {
    if (Math.abs(one.length() - other.length()) > most) {
      return most + 1;
    }
    if (isSwapped(one, other)) {
      return 1;
    }
    int[] above = new int[other.length() + 1];
    Arrays.setAll(above, column -> column <= most ? column : most + 1);
    int[] line = new int[above.length];
    for (int row = 1; row <= one.length(); row++) {
      int least = next(above, line, row, one.charAt(row - 1), other, most);
      if (least > most) {
        return most + 1;
      }
      int[] done = above;
      above = line;
      line = done;
    }
    return above[other.length()];
  }

  private static boolean isSwapped(String one, String other) {
    int at = 0;
    while (at < one.length() && at < other.length() && one.charAt(at) == other.charAt(at)) {
      at++;
    }
    return one.length() == other.length()
        && at + 1 < one.length()
        && one.charAt(at) == other.charAt(at + 1)
        && one.charAt(at + 1) == other.charAt(at)
        && one.startsWith(other.substring(at + 2), at + 2);
  }

  // Only near the diagonal, as everything else is above the most; returns the least of the line.
  private static int next(int[] above, int[] line, int row, char letter, String other, int most) {
    Arrays.fill(line, most + 1);
    int least = most + 1;
    if (row <= most) {
      line[0] = row;
      least = row;
    }
    int last = Math.min(other.length(), row + most);
    for (int column = Math.max(1, row - most); column <= last; column++) {
      int replaced = above[column - 1] + (letter == other.charAt(column - 1) ? 0 : 1);
      line[column] = Math.min(replaced, 1 + Math.min(above[column], line[column - 1]));
      least = Math.min(least, line[column]);
    }
    return least;
  }
}
