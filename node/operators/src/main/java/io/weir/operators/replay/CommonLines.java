package io.weir.operators.replay;

import io.weir.core.policy.CallerNetwork;
import io.weir.operators.replay.LineReading.Request;
import io.weir.operators.replay.LineReading.Strange;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Lines of the common and of the combined log format (Apache HTTP Server, "Log Files"): {@code host ident user [time]
 * "request" status bytes}, and whatever follows; also with a virtual host before them. Mutable, for one thread.
 */
final class CommonLines implements LineFormat {
  static final Strange NO_TIME = new Strange("no time in brackets");
  static final Strange TIME = new Strange("a time of another form");
  static final Strange NO_REQUEST = new Strange("no request in quotes after the time");
  static final Strange REQUEST = new Strange("no method and path in the request");
  static final Strange WORDS = new Strange("not host, ident and user before the time");
  static final Strange NO_CALLER = new Strange("no caller");

  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|(?=.*:.*:)[0-9a-fA-F:.]{2,45}");
  private static final String NOBODY = "-";
  private static final int USER = 2;

  private final boolean isByAddress;
  private String lastTime = "";
  private LogTime last = new LogTime(0, true);

  /** @param isByAddress whether the address asks, even where a user is named */
  CommonLines(boolean isByAddress) {
    this.isByAddress = isByAddress;
  }

  @Override
  public LineReading read(String line) {
    int open = line.indexOf('[');
    int close = line.indexOf(']', open + 1);
    if (open < 0 || close < 0) {
      return NO_TIME;
    }
    int begin = line.indexOf('"', close + 1);
    int end = begin < 0 ? -1 : endOfQuoted(line, begin + 1);
    if (end < 0) {
      return NO_REQUEST;
    }
    Optional<LogTime> time = time(line.substring(open + 1, close));
    if (time.isEmpty()) {
      return TIME;
    }
    List<String> words = ofCaller(line.substring(0, open));
    if (words.isEmpty()) {
      return WORDS;
    }
    String caller = caller(words);
    return caller.equals(NOBODY)
        ? NO_CALLER
        : RequestLine.parse(line.substring(begin + 1, end))
            .<LineReading>map(request -> new Request(
                new LogLine(time.get(), caller, request, Optional.empty(), OptionalLong.empty())))
            .orElse(REQUEST);
  }

  // The host, the ident, and the words of the user; none if another word may be the host.
  private static List<String> ofCaller(String before) {
    List<String> words = Arrays.asList(before.strip().split(" +", -1));
    boolean isAfterVirtualHost = words.size() > USER + 1 && isAddress(words.get(1));
    if (isAfterVirtualHost) {
      return words.subList(1, words.size());
    }
    boolean isSound =
        words.size() == USER + 1 || (words.size() > USER + 1 && isAddress(words.get(0)));
    return isSound ? words : List.of();
  }

  private static boolean isAddress(String word) {
    return ADDRESS.matcher(word).matches();
  }

  private String caller(List<String> words) {
    String user = String.join(" ", words.subList(USER, words.size()));
    return isByAddress || user.equals(NOBODY) ? caller(words.get(0)) : user;
  }

  /** A caller as a log names it: an address counts with its network, as nodes count callers without a name. */
  static String caller(String named) {
    return isAddress(named) ? CallerNetwork.of(named) : named;
  }

  private static int endOfQuoted(String line, int from) {
    for (int i = from; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == '"') {
        return i;
      }
    }
    return -1;
  }

  // Most lines have the time of the line before.
  private Optional<LogTime> time(String text) {
    if (text.equals(lastTime)) {
      return Optional.of(last);
    }
    Optional<LogTime> time = LogTime.common(text);
    time.ifPresent(one -> {
      last = one;
      lastTime = text;
    });
    return time;
  }
}
