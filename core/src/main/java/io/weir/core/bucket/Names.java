package io.weir.core.bucket;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The alphabet of names. Names become parts of Redis keys and fields, log lines and metric tags, so they contain none
 * of the separators used there.
 */
public final class Names {

  /** The form of a subject's or tenant's id. */
  public static final String ID_PATTERN = "[A-Za-z0-9_-]{1,64}";

  /** The form of the name of a subject, which may come from outside: visible ASCII characters. */
  public static final String SUBJECT_PATTERN = "[!-~]{1,128}";

  /** The most characters of {@link #SUBJECT_PATTERN}. */
  public static final int MAX_SUBJECT = 128;

  /** The form of the name of an operation, bucket or plan. */
  public static final String NAME_PATTERN = "[A-Za-z0-9._-]{1,64}";

  private static final int MAX_ID = 64;
  private static final boolean[] OF_ID = ofId();
  private static final char ESCAPE = '~';
  // The colon is reserved for buckets that Weir names itself, such as the own bucket of an
  // operation.
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9._:-]{1,80}");

  private static final Pattern ESCAPED = Pattern.compile("~([0-9A-F]{2})");

  private Names() {}

  /** Whether this is a valid id of a subject or a tenant. */
  public static boolean isId(String text) {
    int length = text.length();
    if (length == 0 || length > MAX_ID) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (!isOfId(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  // Without a regular expression, because every charge calls it.
  private static boolean isOfId(char c) {
    return c < OF_ID.length && OF_ID[c];
  }

  private static boolean[] ofId() {
    boolean[] all = new boolean['z' + 1];
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
        .chars()
        .forEach(c -> all[c] = true);
    return all;
  }

  /** Whether this is a valid name of a subject. */
  public static boolean isSubject(String text) {
    int length = text.length();
    if (length == 0 || length > MAX_SUBJECT) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) < '!' || text.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  /**
   * The name of a subject as part of other names, such as keys of Redis: an id stays as it is, and every character that
   * ids have not is a tilde and two hexadecimal digits, {@code user~3A4711}. Different names stay different.
   */
  public static String escaped(String subject) {
    for (int i = 0; i < subject.length(); i++) {
      if (!isOfId(subject.charAt(i))) {
        return escapedFrom(i, subject);
      }
    }
    return subject;
  }

  private static String escapedFrom(int first, String subject) {
    StringBuilder text = new StringBuilder(subject.length() + 8).append(subject, 0, first);
    for (int i = first; i < subject.length(); i++) {
      char c = subject.charAt(i);
      if (isOfId(c)) {
        text.append(c);
      } else {
        text.append(ESCAPE)
            .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
            .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
      }
    }
    return text.toString();
  }

  /** The name of a subject whose {@link #escaped} text this is; the text itself if it is of no name. */
  public static String unescaped(String text) {
    if (text.indexOf(ESCAPE) < 0) {
      return text;
    }
    String name = ESCAPED
        .matcher(text)
        .replaceAll(found ->
            Matcher.quoteReplacement(Character.toString(Integer.parseInt(found.group(1), 16))));
    return isSubject(name) && escaped(name).equals(text) ? name : text;
  }

  /** Whether this is a valid name of an operation, a bucket or a plan. */
  public static boolean isName(String text) {
    int length = text.length();
    if (length == 0 || length > MAX_ID) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (!isOfId(text.charAt(i)) && text.charAt(i) != '.') {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether this is text of one line that reads as it is written: nothing in it controls a terminal, ends a line or turns
   * the direction of what follows (Unicode's categories Cc, Zl and Zp, and its property Bidi_Control), and it has no half of
   * a surrogate pair.
   */
  public static boolean isLine(String text) {
    return text.codePoints().allMatch(Names::isShown);
  }

  /** Whether a character may stand in {@linkplain #isLine such a text}. */
  public static boolean isShown(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE -> false;
      case Character.FORMAT -> !isDirectional(codePoint);
      default -> true;
    };
  }

  private static boolean isDirectional(int codePoint) {
    return codePoint == 0x061C
        || codePoint == 0x200E
        || codePoint == 0x200F
        || (codePoint >= 0x202A && codePoint <= 0x202E)
        || (codePoint >= 0x2066 && codePoint <= 0x2069);
  }

  static void requireBucket(String name) {
    if (!BUCKET.matcher(name).matches()) {
      throw new IllegalArgumentException("name: '%s' (expected: %s)".formatted(name, BUCKET));
    }
  }
}
