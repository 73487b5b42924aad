package io.weir.operators.top;

import io.weir.operators.top.Best.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * Counts names in bounded memory: keys and tenants, of which there may be any number, by sketches of frequent items (D.
 * Anderson et al., "A High-Performance Algorithm for Identifying Frequent Items in Data Streams", 2017); limits, of
 * which the policy has a bounded number, exactly. Mutable; owned by one event loop.
 */
public final class Tally {
  /** A sketch keeps three quarters of that many names. */
  private static final int SLOTS = 512;

  private static final int MOST_LIMITS = 1024;

  private final ItemsSketch<SubjectName> keys = new ItemsSketch<>(SLOTS);
  private final ItemsSketch<String> tenants = new ItemsSketch<>(SLOTS);
  private final Map<LimitName, Long> limits = new HashMap<>();
  private long ofOtherLimits;
  private long total;

  /** Counts once. */
  public void count(SubjectName who, LimitName by) {
    count(who, by, 1);
  }

  /** Counts so many times. */
  void count(SubjectName who, LimitName by, int times) {
    total += times;
    keys.update(who, times);
    tenants.update(who.tenant(), times);
    count(by, times);
  }

  private void count(LimitName by, long times) {
    if (limits.size() < MOST_LIMITS || limits.containsKey(by)) {
      limits.merge(by, times, Long::sum);
    } else {
      ofOtherLimits += times;
    }
  }

  void add(Tally other) {
    total += other.total;
    keys.merge(other.keys);
    tenants.merge(other.tenants);
    other.limits.forEach(this::count);
    ofOtherLimits += other.ofOtherLimits;
  }

  boolean isEmpty() {
    return total == 0;
  }

  /** The most frequent ones. */
  public Tops tops(int most) {
    List<Row> rows = new ArrayList<>();
    limits.forEach((limit, times) -> rows.add(new Row(limit.text(), times, times + ofOtherLimits)));
    return new Tops(
        total,
        best(keys, SubjectName::text, most),
        best(tenants, Function.identity(), most),
        Best.of(rows, ofOtherLimits, most));
  }

  private static <T> Best best(ItemsSketch<T> sketch, Function<T, String> text, int most) {
    List<Row> rows = Arrays.stream(sketch.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES))
        .map(row -> new Row(text.apply(row.getItem()), row.getLowerBound(), row.getUpperBound()))
        .toList();
    return Best.of(rows, sketch.getMaximumError(), most);
  }
}
