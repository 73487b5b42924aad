package io.weir.whole.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What callers were admitted, and whether it is more than the limits allow. Each admission was decided between its request
 * and its answer; times are nanoseconds since the epoch. Safe for use by many threads.
 */
final class SoakLedger {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  /** Decisions without Redis that are no further apart are of one outage. */
  private static final long APART = 10 * SECOND;

  private static final double ROUNDING = 1e-6;

  /** An interval of time. */
  record Span(long from, long to) {}

  private record Admission(long sent, long got, long cost) {}

  private final Map<String, List<Admission>> admissions = new ConcurrentHashMap<>();
  private final List<Span> away = new ArrayList<>();
  private final List<Span> slow = new ArrayList<>();

  void admitted(String limit, long sent, long got, long cost) {
    List<Admission> all = admissions.computeIfAbsent(limit, none -> new ArrayList<>());
    synchronized (all) {
      all.add(new Admission(sent, got, cost));
    }
  }

  /** Redis was away. */
  void away(long from, long to) {
    synchronized (away) {
      away.add(new Span(from, to));
    }
  }

  /** For a node, Redis did not answer. */
  void slow(long from, long to) {
    synchronized (slow) {
      slow.add(new Span(from, to));
    }
  }

  /** Whether Redis was away in this interval, or shortly before or after it. */
  boolean wasAway(long from, long to) {
    synchronized (away) {
      return away.stream().anyMatch(span -> span.from() - APART <= to && span.to() + APART >= from);
    }
  }

  Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    admissions.forEach((limit, all) -> counts.put(limit, all.size()));
    return counts;
  }

  /**
   * The operations by which the worst interval is above a rate; 0 or less if none is.
   *
   * @param shares what an outage may add: the shares of nodes that decide without Redis
   */
  double above(String limit, double burst, double perSecond, double shares) {
    Admission[] all = admissions.getOrDefault(limit, List.of()).stream()
        .sorted(Comparator.comparingLong(Admission::got))
        .toArray(Admission[]::new);
    List<Span> outages = outages();
    double worst = Double.NEGATIVE_INFINITY;
    for (int first = 0; first < all.length; first++) {
      long begin = all[first].sent();
      double sum = 0;
      for (int next = first; next < all.length; next++) {
        if (all[next].sent() >= begin) {
          sum += all[next].cost();
          double room = burst + perSecond * (all[next].got() - begin) / SECOND;
          if (sum - room > worst) {
            worst = Math.max(worst, sum - room - shares * touched(outages, begin, all[next].got()));
          }
        }
      }
    }
    return worst - ROUNDING;
  }

  private static long touched(List<Span> outages, long from, long to) {
    return outages.stream()
        .filter(span -> span.from() <= to && span.to() >= from)
        .count();
  }

  private List<Span> outages() {
    List<Span> all = new ArrayList<>();
    synchronized (away) {
      all.addAll(away);
    }
    synchronized (slow) {
      all.addAll(slow);
    }
    all.sort(Comparator.comparingLong(Span::from));
    List<Span> merged = new ArrayList<>();
    for (Span span : all) {
      Span last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last != null && span.from() <= last.to() + APART) {
        merged.set(merged.size() - 1, new Span(last.from(), Math.max(last.to(), span.to())));
      } else {
        merged.add(span);
      }
    }
    return merged;
  }

  /** The most of a quota by the minute that was used in one; admissions at its edges are left out. */
  long mostInAMinute(String limit) {
    Map<Long, Long> used = new TreeMap<>();
    for (Admission one : admissions.getOrDefault(limit, List.of())) {
      if (one.sent() / MINUTE == one.got() / MINUTE) {
        used.merge(one.sent() / MINUTE, one.cost(), Long::sum);
      }
    }
    return used.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%s admitted, %d outages", counts(), outages().size());
  }
}
