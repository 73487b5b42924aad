package io.weir.operators.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Puts the requests of a log in the order of their times: servers write a line when a request ends, and some stamp it
 * with its begin. Mutable, for one thread; its memory is bounded by the window and by a number of lines.
 */
final class Ordered {
  /** How much older than the newest line a line may be. */
  static final long WINDOW_MICROS = 60_000_000;

  static final int MOST = 100_000;

  private final Consumer<LogLine> to;
  private final TreeMap<Long, List<LogLine>> waiting = new TreeMap<>();
  private int count;
  private long passedMicros = Long.MIN_VALUE;
  private long late;

  Ordered(Consumer<LogLine> to) {
    this.to = to;
  }

  void add(LogLine line) {
    if (line.atMicros() < passedMicros) {
      late++;
      to.accept(line.at(passedMicros));
      return;
    }
    waiting.computeIfAbsent(line.atMicros(), at -> new ArrayList<>()).add(line);
    count++;
    while (count > MOST || waiting.firstKey() < waiting.lastKey() - WINDOW_MICROS) {
      passFirst();
    }
  }

  /** Passes on what is left. */
  void end() {
    while (count > 0) {
      passFirst();
    }
  }

  private void passFirst() {
    Map.Entry<Long, List<LogLine>> first = waiting.firstEntry();
    waiting.remove(first.getKey());
    passedMicros = first.getKey();
    count -= first.getValue().size();
    first.getValue().forEach(to);
  }

  /** The lines that were older than the window; each was passed on with the time of the line before it. */
  long late() {
    return late;
  }
}
