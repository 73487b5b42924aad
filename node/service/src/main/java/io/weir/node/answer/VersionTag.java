package io.weir.node.answer;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The entity tag of something whose versions are numbers (RFC 9110, section 8.8.3). */
public final class VersionTag {
  private static final Pattern ONE = Pattern.compile("\"\\d{1,16}\"");

  private VersionTag() {}

  /** The value of {@code ETag}. */
  public static String of(long version) {
    return "\"%d\"".formatted(version);
  }

  /** Whether a value of {@code If-Match} names a version or any (RFC 9110, section 13.1.1). */
  public static boolean matches(String tags, long version) {
    return Arrays.stream(tags.split(",", -1))
        .map(String::strip)
        .anyMatch(tag -> tag.equals("*") || tag.equals(of(version)));
  }

  /** The version in a value of {@code If-Match} that names exactly one. */
  public static OptionalLong version(String tags) {
    return ONE.matcher(tags).matches()
        ? OptionalLong.of(Long.parseLong(tags.substring(1, tags.length() - 1)))
        : OptionalLong.empty();
  }
}
