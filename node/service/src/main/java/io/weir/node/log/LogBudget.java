package io.weir.node.log;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Bounds the number of lines of one kind in a minute. Mutable; safe for use by many threads. */
final class LogBudget {
  static final int LINES_PER_MINUTE = 10;

  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_KINDS = 1000;
  private static final String ANY_OTHER = "";

  private final LongSupplier nanoClock;
  private final Map<String, Minute> minutes = new HashMap<>();

  LogBudget(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Takes a line of a kind: the number of lines left out before it; empty if this one is left out, too. */
  synchronized OptionalLong take(String kind) {
    String known = minutes.containsKey(kind) || minutes.size() < MAX_KINDS ? kind : ANY_OTHER;
    long now = nanoClock.getAsLong();
    Minute minute = minutes.computeIfAbsent(known, name -> new Minute(now));
    if (now - minute.begunNanos >= MINUTE_NANOS) {
      minute.begunNanos = now;
      minute.written = 0;
    }
    if (minute.written >= LINES_PER_MINUTE) {
      minute.leftOut++;
      return OptionalLong.empty();
    }
    minute.written++;
    long before = minute.leftOut;
    minute.leftOut = 0;
    return OptionalLong.of(before);
  }

  private static final class Minute {
    private long begunNanos;
    private int written;
    private long leftOut;

    Minute(long begunNanos) {
      this.begunNanos = begunNanos;
    }
  }
}
