package io.weir.operators.live;

import io.micrometer.core.instrument.Counter;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The decisions of a node in the spans of the last minutes, by its metrics: decisions themselves cost nothing more.
 * Mutable; safe for use by many threads.
 */
final class Counted {
  /** Five minutes. */
  static final int MOST_SPANS = 150;

  private final Supplier<Collection<Counter>> decisions;
  private final Deque<Span> spans = new ArrayDeque<>();
  private Map<Tags, Long> before;
  private long ended = Long.MAX_VALUE;

  /** @param decisions the counters of decisions, with the tags operation, outcome and bucket */
  Counted(Supplier<Collection<Counter>> decisions) {
    this.decisions = decisions;
    this.before = read();
  }

  private record Tags(String operation, String outcome, String bucket) {
    static Tags of(Counter counter) {
      return new Tags(tag(counter, "operation"), tag(counter, "outcome"), tag(counter, "bucket"));
    }

    private static String tag(Counter counter, String name) {
      return Optional.ofNullable(counter.getId().getTag(name)).orElse("");
    }

    boolean isAdmitted() {
      return "allowed".equals(outcome);
    }

    String limit() {
      boolean isNamed = !bucket.isEmpty() && !"none".equals(bucket);
      return isNamed ? bucket : "denied".equals(outcome) ? "before_slot" : outcome;
    }
  }

  private Map<Tags, Long> read() {
    Map<Tags, Long> counts = new HashMap<>();
    decisions
        .get()
        .forEach(counter -> counts.merge(Tags.of(counter), Math.round(counter.count()), Long::sum));
    return counts;
  }

  /**
   * Ends the span with this number: what was decided since the last one ended is in it. If that was earlier than a span ago,
   * since the process stood still, it is divided among the spans since then: their rates are means.
   */
  synchronized void end(long number) {
    Map<Tags, Long> now = read();
    int passed = (int) Math.min(MOST_SPANS, Math.max(1, number - ended));
    for (int i = 0; i < passed; i++) {
      add(number - passed + 1 + i, now, passed, i);
    }
    before = now;
    ended = number;
  }

  private void add(long number, Map<Tags, Long> now, int parts, int part) {
    Map<String, Long> admitted = new HashMap<>();
    Map<String, Long> denied = new HashMap<>();
    Map<String, Long> limits = new HashMap<>();
    now.forEach((tags, count) -> {
      long grown = count - before.getOrDefault(tags, 0L);
      long more = grown * (part + 1) / parts - grown * part / parts; // the parts sum up to all
      if (more > 0) {
        (tags.isAdmitted() ? admitted : denied).merge(tags.operation(), more, Long::sum);
        if (!tags.isAdmitted()) {
          limits.merge(tags.limit(), more, Long::sum);
        }
      }
    });
    spans.addLast(new Span(number, admitted, denied, limits));
    if (spans.size() > MOST_SPANS) {
      spans.removeFirst();
    }
  }

  /** The spans with this number or a later one in which something was decided. */
  synchronized List<Span> since(long number) {
    return spans.stream()
        .filter(span -> span.number() >= number && !span.isEmpty())
        .toList();
  }
}
