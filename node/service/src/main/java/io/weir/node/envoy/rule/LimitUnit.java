package io.weir.node.envoy.rule;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The unit of time of a limit, as the protocol numbers it. */
public enum LimitUnit {
  SECOND(1, 1),
  MINUTE(2, 60),
  HOUR(3, 3600),
  DAY(4, 86_400),
  /** A month of the calendar. */
  MONTH(5, 0),
  YEAR(6, 365 * 86_400),
  WEEK(7, 7 * 86_400);

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long MILLIS_PER_SECOND = 1000;

  private final int number;
  private final int seconds;

  LimitUnit(int number, int seconds) {
    this.number = number;
    this.seconds = seconds;
  }

  /** The unit with this number; empty if there is none. */
  public static Optional<LimitUnit> of(long number) {
    for (LimitUnit unit : values()) {
      if (unit.number == number) {
        return Optional.of(unit);
      }
    }
    return Optional.empty();
  }

  /** The units by their names in policies, from the shortest on. */
  static Map<String, LimitUnit> words() {
    Map<String, LimitUnit> words = new LinkedHashMap<>();
    words.put("second", SECOND);
    words.put("minute", MINUTE);
    words.put("hour", HOUR);
    words.put("day", DAY);
    words.put("week", WEEK);
    words.put("month", MONTH);
    words.put("year", YEAR);
    return words;
  }

  /** Its number in messages. */
  public int number() {
    return number;
  }

  /** Whether it is a period of the calendar, and has no length of its own. */
  boolean isOfCalendar() {
    return this == MONTH;
  }

  /** Its length in seconds; 0 for a period of the calendar. */
  public long seconds() {
    return seconds;
  }

  long micros() {
    return seconds * MICROS_PER_SECOND;
  }

  long millis() {
    return seconds * MILLIS_PER_SECOND;
  }
}
