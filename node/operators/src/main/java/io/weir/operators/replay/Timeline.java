package io.weir.operators.replay;

import java.util.ArrayList;
import java.util.List;

/** Admitted and refused requests over time, in at most a hundred spans of equal length. Mutable, for one thread. */
final class Timeline {
  private static final int MOST = 100;
  private static final long FIRST_MICROS = 1_000_000;

  private final List<long[]> spans = new ArrayList<>();
  private long widthMicros = FIRST_MICROS;
  private long startMicros = -1;

  /** A span of time. */
  record Span(long atMicros, long admitted, long refused) {}

  void count(long atMicros, boolean isRefused) {
    if (startMicros < 0) {
      startMicros = Math.floorDiv(atMicros, FIRST_MICROS) * FIRST_MICROS;
    }
    // A request that is older than the first line counts as if it came with it.
    long passed = Math.max(0, atMicros - startMicros);
    while (passed / widthMicros >= MOST) {
      widen();
    }
    int index = (int) (passed / widthMicros);
    while (spans.size() <= index) {
      spans.add(new long[2]);
    }
    spans.get(index)[isRefused ? 1 : 0]++;
  }

  private void widen() {
    for (int i = 0; i < spans.size(); i += 2) {
      long[] sum = spans.get(i);
      if (i + 1 < spans.size()) {
        sum[0] += spans.get(i + 1)[0];
        sum[1] += spans.get(i + 1)[1];
      }
      spans.set(i / 2, sum);
    }
    spans.subList((spans.size() + 1) / 2, spans.size()).clear();
    widthMicros *= 2;
  }

  long widthMicros() {
    return widthMicros;
  }

  List<Span> spans() {
    List<Span> all = new ArrayList<>();
    for (int i = 0; i < spans.size(); i++) {
      all.add(new Span(startMicros + i * widthMicros, spans.get(i)[0], spans.get(i)[1]));
    }
    return all;
  }
}
