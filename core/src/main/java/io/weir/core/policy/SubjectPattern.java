package io.weir.core.policy;

import java.util.Optional;
import java.util.regex.Pattern;

/** A pattern for the names of subjects: {@code *} stands for any characters, none included. Immutable. */
public final class SubjectPattern {
  /** The form of patterns. */
  public static final String FORM = "[!-~]{1,128}";

  private static final Pattern VALID = Pattern.compile(FORM);
  private static final char ANY = '*';

  private final String text;

  private SubjectPattern(String text) {
    this.text = text;
  }

  /** Reads a pattern; empty if it is invalid. */
  public static Optional<SubjectPattern> parse(String text) {
    return VALID.matcher(text).matches() ? Optional.of(new SubjectPattern(text)) : Optional.empty();
  }

  /** Whether a name matches. */
  public boolean matches(String name) {
    return matches(text, name);
  }

  /** Whether each name that matches the other pattern matches this one, as far as that is easy to tell. */
  public boolean covers(SubjectPattern other) {
    return matches(text, other.text);
  }

  /**
   * Whether a text matches a pattern in which {@code *} stands for any characters, none included. A star of the text is
   * matched by a star alone. Takes at most the product of the lengths, as it goes back to the last star only.
   */
  public static boolean matches(String pattern, String name) {
    int at = 0;
    int star = -1;
    int resume = 0;
    int i = 0;
    while (i < name.length()) {
      boolean isStar = at < pattern.length() && pattern.charAt(at) == ANY;
      if (isStar) {
        star = at++;
        resume = i;
      } else if (at < pattern.length() && pattern.charAt(at) == name.charAt(i)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++resume;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == ANY) {
      at++;
    }
    return at == pattern.length();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SubjectPattern pattern && pattern.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
