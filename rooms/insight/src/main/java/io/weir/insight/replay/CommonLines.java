package io.weir.insight.replay;

import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Lines of the common and of the combined log format (Apache HTTP Server, "Log Files"): {@code host ident user [time]
 * "request" status bytes}, and whatever follows. Mutable, for one thread.
 */
final class CommonLines implements LineFormat {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final String NOBODY = "-";

  private final boolean isByAddress;
  private String lastTime = "";
  private long lastMicros;

  /** @param isByAddress whether the address asks, even where a user is named */
  CommonLines(boolean isByAddress) {
    this.isByAddress = isByAddress;
  }

  @Override
  public boolean isOfWholeSeconds() {
    return true;
  }

  @Override
  public Optional<LogLine> read(String line) {
    int open = line.indexOf('[');
    int close = line.indexOf(']', open + 1);
    int begin = line.indexOf('"', close + 1);
    int end = begin < 0 ? -1 : endOfQuoted(line, begin + 1);
    if (open < 0 || close < 0 || end < 0) {
      return Optional.empty();
    }
    String[] before = line.substring(0, open).strip().split(" ", 3);
    String request = line.substring(begin + 1, end);
    int first = request.indexOf(' ');
    if (before.length < 3 || first <= 0) {
      return Optional.empty();
    }
    int second = request.indexOf(' ', first + 1);
    String target = request.substring(first + 1, second < 0 ? request.length() : second);
    Optional<Long> time = micros(line.substring(open + 1, close));
    return time.map(at -> new LogLine(
        at,
        isByAddress || before[2].equals(NOBODY) ? before[0] : before[2],
        request.substring(0, first).toUpperCase(Locale.ROOT),
        target,
        Optional.empty(),
        OptionalLong.empty()));
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
  private Optional<Long> micros(String time) {
    if (!time.equals(lastTime)) {
      try {
        lastMicros = OffsetDateTime.parse(time, TIME).toEpochSecond() * MICROS_PER_SECOND;
        lastTime = time;
      } catch (DateTimeParseException e) {
        return Optional.empty();
      }
    }
    return Optional.of(lastMicros);
  }
}
