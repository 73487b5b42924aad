package io.weir.inmemory;

import java.util.ArrayList;
import java.util.List;

/**
 * The stored state of one limit of one owner. It is a short list of whole numbers, each at least 0 and below 2⁵³; the
 * kind defines their meaning. The first number is the instant, in microseconds, after which the state may be forgotten.
 * Immutable.
 */
public record Counter(List<Long> numbers) {

  /** The largest number of a counter; below 2⁵³. */
  public static final long MOST = 9_007_000_000_000_000L;

  /** Nothing is stored. */
  public static final Counter NONE = new Counter(List.of());

  public Counter {
    numbers = List.copyOf(numbers);
  }

  /** The counter of these numbers. */
  public static Counter of(long untilMicros, long... others) {
    List<Long> numbers = new ArrayList<>();
    numbers.add(untilMicros);
    for (long other : others) {
      numbers.add(other);
    }
    return new Counter(numbers);
  }

  /** The number at an index; 0 if absent. */
  public long number(int index) {
    return index < numbers.size() ? numbers.get(index) : 0;
  }

  /** The time until which it must be kept. */
  public long untilMicros() {
    return number(0);
  }

  /** The counter, or none if its time is over. */
  public Counter at(long nowMicros) {
    return untilMicros() <= nowMicros ? NONE : this;
  }
}
