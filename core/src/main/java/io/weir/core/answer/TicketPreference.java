package io.weir.core.answer;

import java.util.List;

/** The preference {@code retry-ticket} of callers that keep tickets. */
public final class TicketPreference {
  private static final String PREFERENCE = "retry-ticket";

  private TicketPreference() {}

  /** Whether it is in some of these values of the header {@code Prefer}. */
  public static boolean isIn(List<String> values) {
    return values.stream().anyMatch(TicketPreference::prefers);
  }

  // RFC 7240, section 2: preferences are separated by commas, their parameters by semicolons;
  // separators in quotes do not count. One pass over the characters.
  private static boolean prefers(String header) {
    int begin = 0;
    boolean isQuoted = false;
    for (int i = 0; i < header.length(); i++) {
      char c = header.charAt(i);
      if (isQuoted && c == '\\') {
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == ',' && !isQuoted) {
        if (isPreference(header.substring(begin, i))) {
          return true;
        }
        begin = i + 1;
      }
    }
    return isPreference(header.substring(Math.min(begin, header.length())));
  }

  private static boolean isPreference(String text) {
    String name = text.strip();
    boolean begins = name.regionMatches(true, 0, PREFERENCE, 0, PREFERENCE.length());
    String rest = begins ? name.substring(PREFERENCE.length()).stripLeading() : "?";
    return rest.isEmpty() || rest.startsWith("=") || rest.startsWith(";");
  }
}
