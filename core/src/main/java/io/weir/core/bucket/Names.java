package io.weir.core.bucket;

import java.util.regex.Pattern;

/**
 * The alphabet of names. Names become parts of Redis keys and fields, log lines and metric tags, so they contain none
 * of the separators used there.
 */
public final class Names {

  /** The form of a subject's or tenant's id. */
  public static final String ID_PATTERN = "[A-Za-z0-9_-]{1,64}";

  /** The form of the name of an operation, bucket or plan. */
  public static final String NAME_PATTERN = "[A-Za-z0-9._-]{1,64}";

  private static final int MAX_ID = 64;
  // The colon is reserved for buckets that Weir names itself, such as the own bucket of an
  // operation.
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9._:-]{1,80}");

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
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-';
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

  static void requireBucket(String name) {
    if (!BUCKET.matcher(name).matches()) {
      throw new IllegalArgumentException("name: '%s' (expected: %s)".formatted(name, BUCKET));
    }
  }
}
