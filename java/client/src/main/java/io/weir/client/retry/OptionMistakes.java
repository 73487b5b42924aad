package io.weir.client.retry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The mistakes in options, all of which one exception names. Mutable; for one check. */
final class OptionMistakes {
  private static final Duration LEAST = Duration.ofMillis(1);

  private final List<String> all = new ArrayList<>();

  void within(String name, double value, double least, double most) {
    expect(
        value >= least && value <= most,
        "%s: %s (expected: %s to %s)".formatted(name, text(value), text(least), text(most)));
  }

  void upTo(String name, Duration value, Duration most) {
    within(name, value, LEAST, most);
  }

  void within(String name, Duration value, Duration least, Duration most) {
    boolean isRight = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
    expect(isRight, "%s: %s (expected: %s to %s)".formatted(name, value, least, most));
  }

  void expect(boolean isRight, String mistake) {
    if (!isRight) {
      all.add(mistake);
    }
  }

  void throwIfAny() {
    if (!all.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", all));
    }
  }

  private static String text(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
