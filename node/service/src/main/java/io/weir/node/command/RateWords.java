package io.weir.node.command;

import java.math.BigDecimal;
import java.math.MathContext;

/** Rates as people name them, in the words of the page: per second, or per minute or hour if they are slow. */
public final class RateWords {
  private static final MathContext SHOWN = new MathContext(6);
  private static final int MINUTE = 60;
  private static final int HOUR = 3600;

  private RateWords() {}

  /** A rate in words, such as {@code 5 per min}. */
  public static String of(double opsPerSec) {
    return of(opsPerSec, opsPerSec);
  }

  /** The same in the unit of the slower of two rates, so that they can be compared; 0 has no unit of its own. */
  public static String of(double opsPerSec, double other) {
    double slower =
        Math.min(opsPerSec, other) == 0 ? Math.max(opsPerSec, other) : Math.min(opsPerSec, other);
    if (slower >= 1 || slower == 0) {
      return number(opsPerSec) + " per s";
    }
    return slower * MINUTE >= 1
        ? number(opsPerSec * MINUTE) + " per min"
        : number(opsPerSec * HOUR) + " per h";
  }

  private static String number(double value) {
    return new BigDecimal(value).round(SHOWN).stripTrailingZeros().toPlainString();
  }
}
