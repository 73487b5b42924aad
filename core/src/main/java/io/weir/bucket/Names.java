package io.weir.bucket;

import java.util.regex.Pattern;

/**
 * The alphabet of names. They become parts of Redis keys and fields, log lines and metric tags, so
 * nothing that separates there may occur in them.
 */
public final class Names {

  /** What a subject's or tenant's id looks like. */
  public static final String ID_PATTERN = "[A-Za-z0-9_-]{1,64}";

  /** What the name of an operation, bucket or plan looks like. */
  public static final String NAME_PATTERN = "[A-Za-z0-9._-]{1,64}";

  private static final int MAX_ID = 64;
  // The colon is kept for buckets that Weir itself names, such as the own bucket of an operation.
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9._:-]{1,80}");

  private Names() {}

  /** Whether this can be the id of a subject or a tenant. */
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

  // By hand, because every charge asks.
  private static boolean isOfId(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-';
  }

  /** Whether this can name an operation, a bucket or a plan. */
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
