package io.weir.operators.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Spreads the requests whose times are whole seconds evenly over each second: at once, they would fill buckets that they
 * have not filled. Mutable, for one thread; its memory is bounded.
 */
final class Spread {
  private static final int MOST = 100_000;
  private static final long SECOND_MICROS = 1_000_000;

  private final Consumer<LogLine> to;
  private final List<LogLine> ofSecond = new ArrayList<>();

  Spread(Consumer<LogLine> to) {
    this.to = to;
  }

  void add(LogLine line) {
    if (!line.time().isWholeSecond()) {
      end();
      to.accept(line);
      return;
    }
    if (!ofSecond.isEmpty()
        && (ofSecond.get(0).atMicros() != line.atMicros() || ofSecond.size() == MOST)) {
      end();
    }
    ofSecond.add(line);
  }

  /** Passes on what is left. */
  void end() {
    for (int i = 0; i < ofSecond.size(); i++) {
      LogLine line = ofSecond.get(i);
      to.accept(line.at(line.atMicros() + i * SECOND_MICROS / ofSecond.size()));
    }
    ofSecond.clear();
  }
}
