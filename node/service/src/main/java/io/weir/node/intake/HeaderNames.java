package io.weir.node.intake;

/** The names of headers as servers compare them: CGI does not distinguish an underscore from a hyphen (RFC 3875). */
public final class HeaderNames {
  private HeaderNames() {}

  /** Whether two names are the same one to some servers. */
  public static boolean isSame(String one, String other) {
    if (one.length() != other.length()) {
      return false;
    }
    for (int i = 0; i < one.length(); i++) {
      if (plain(one.charAt(i)) != plain(other.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static char plain(char c) {
    if (c >= 'A' && c <= 'Z') {
      return (char) (c - 'A' + 'a');
    }
    return c == '_' ? '-' : c;
  }
}
