package io.weir.client.answer;

import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The quotas of a {@code RateLimit} header (draft-ietf-httpapi-ratelimit-headers-10, section 4): items separated by
 * commas, each a quoted name with parameters, of which {@code r} is the remaining quota and {@code t} the seconds until
 * there is more. One pass over the characters, as a provider may send many. Mutable; for one header.
 */
final class QuotaHeader {
  private static final Pattern NONE_LEFT = Pattern.compile("r=(?:0|-[1-9][0-9]{0,14})");
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,15}");
  private static final int LONGEST_PARAMETER = 32;

  private final StringBuilder parameter = new StringBuilder();
  private boolean isName = true;
  private boolean isNoneLeft;
  private long seconds = -1;
  private long longest = -1;

  private QuotaHeader() {}

  /** The time until the last of the exhausted quotas has room again, in seconds; empty if none is exhausted. */
  static OptionalLong seconds(CharSequence header) {
    QuotaHeader read = new QuotaHeader();
    boolean isQuoted = false;
    for (int i = 0; i < header.length(); i++) {
      char c = header.charAt(i);
      if (isQuoted && c == '\\') {
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (!isQuoted) {
        read.next(c);
      }
    }
    read.endItem();
    return read.longest < 0 ? OptionalLong.empty() : OptionalLong.of(read.longest);
  }

  private void next(char c) {
    if (c == ',') {
      endItem();
    } else if (c == ';') {
      endParameter();
    } else if (parameter.length() < LONGEST_PARAMETER && !(isBlank(c) && parameter.isEmpty())) {
      parameter.append(c);
    }
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private void endParameter() {
    String text = parameter.toString().strip();
    parameter.setLength(0);
    if (isName) {
      isName = false;
    } else if (NONE_LEFT.matcher(text).matches()) {
      isNoneLeft = true;
    } else if (text.startsWith("t=") && SECONDS.matcher(text.substring(2)).matches()) {
      seconds = Long.parseLong(text.substring(2));
    }
  }

  private void endItem() {
    endParameter();
    if (isNoneLeft) {
      longest = Math.max(longest, seconds);
    }
    isName = true;
    isNoneLeft = false;
    seconds = -1;
  }
}
