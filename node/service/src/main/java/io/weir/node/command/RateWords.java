package io.weir.node.command;

import java.math.BigDecimal;
import java.math.MathContext;

/** Rates as people name them: per second, or per minute or hour if they are slow. */
public final class RateWords {
  private static final MathContext SHOWN = new MathContext(6);
  private static final int MINUTE = 60;
  private static final int HOUR = 3600;

  private RateWords() {}

  /** A rate in words, such as {@code 5/min}. */
  public static String of(double opsPerSec) {
    if (opsPerSec >= 1 || opsPerSec == 0) {
      return number(opsPerSec) + "/s";
    }
    return opsPerSec * MINUTE >= 1
        ? number(opsPerSec * MINUTE) + "/min"
        : number(opsPerSec * HOUR) + "/h";
  }

  private static String number(double value) {
    return new BigDecimal(value).round(SHOWN).stripTrailingZeros().toPlainString();
  }
}
