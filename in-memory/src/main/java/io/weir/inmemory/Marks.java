package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;

import io.weir.core.bucket.Bucket;
import io.weir.core.slot.SlotLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * How much open reservations may still give back to one bucket. Each has a mark, a number that grows with every
 * reservation, and the lowest level of the bucket since then. Of its units, as many as that level are still in the
 * bucket: without it, the bucket would have drained the others instead, or would have been empty. Immutable.
 *
 * <p>The marks are in their order, so the levels rise; equal levels need one mark. Of more than {@link #MOST}, the two
 * with the nearest levels become one, with the lower level. {@code lua/lib/kinds/marks.lua} has the same.
 *
 * @param untilMicros the time until which they are kept
 * @param newest the mark of the newest reservation
 */
record Marks(long untilMicros, long newest, List<Mark> marks) {
  private static final int MOST = 8;
  private static final long KEPT_US = 600_000_000;
  private static final int BEFORE = 2;

  /** A mark, and the lowest level since then. */
  record Mark(long number, long lowUnits) {}

  Marks {
    marks = List.copyOf(marks);
  }

  /** The name of the counter that keeps the marks of a bucket. */
  static String name(String bucket) {
    return "marks:" + bucket;
  }

  /**
   * Reads the marks of a bucket.
   *
   * @param lowUnits the lowest level of the bucket since they were stored; 0 if it was empty
   */
  static Marks of(Counter stored, long lowUnits) {
    List<Mark> marks = new ArrayList<>();
    for (int i = BEFORE; i < stored.numbers().size(); i += 2) {
      add(marks, new Mark(stored.number(i), Math.min(lowUnits, stored.number(i + 1))));
    }
    return new Marks(stored.untilMicros(), stored.number(1), marks);
  }

  // The levels rise: a mark with the level of the one before it says nothing more.
  private static void add(List<Mark> marks, Mark mark) {
    long before = marks.isEmpty() ? 0 : marks.get(marks.size() - 1).lowUnits();
    if (mark.lowUnits() > before) {
      marks.add(mark);
    }
  }

  Counter counter() {
    long[] numbers = new long[1 + 2 * marks.size()];
    numbers[0] = newest;
    for (int i = 0; i < marks.size(); i++) {
      numbers[1 + 2 * i] = marks.get(i).number();
      numbers[2 + 2 * i] = marks.get(i).lowUnits();
    }
    return Counter.of(untilMicros, numbers);
  }

  boolean isEmpty() {
    return marks.isEmpty();
  }

  /** Until when the marks are kept for a reservation that is renewed: while its units may be in the bucket. */
  static long keptUntil(long leaseEndsMicros, Bucket bucket) {
    long drained = ceilDiv(bucket.capacityUnits(), bucket.unitsPerMicro());
    return leaseEndsMicros + Math.max(KEPT_US, Math.min(SlotLimits.LONGEST_US, drained));
  }

  /** The marks after a reservation that left the bucket at this level. */
  Marks with(long mark, long level, long keptUntilMicros) {
    List<Mark> after = new ArrayList<>(marks);
    after.add(new Mark(mark, level));
    if (after.size() > MOST) {
      after.remove(nearest(after));
    }
    return new Marks(Math.max(untilMicros, keptUntilMicros), mark, after);
  }

  // The first of those whose level is nearest to the one before, in relation to its own. The script
  // has the same quotient: both numbers are exact doubles.
  private static int nearest(List<Mark> marks) {
    int nearest = 1;
    double least = Double.MAX_VALUE;
    for (int i = 1; i < marks.size(); i++) {
      long level = marks.get(i).lowUnits();
      double distance = (double) (level - marks.get(i - 1).lowUnits()) / level;
      if (distance < least) {
        nearest = i;
        least = distance;
      }
    }
    return nearest;
  }

  /** The most that the reservation of a mark can give back. */
  long most(long mark) {
    int at = indexOf(mark);
    return at < 0 ? 0 : marks.get(at).lowUnits();
  }

  // The last one that is not newer; -1 if there is none, and of a mark that was made by a clock
  // that
  // was set back since.
  private int indexOf(long mark) {
    int at = -1;
    while (mark <= newest && at + 1 < marks.size() && marks.get(at + 1).number() <= mark) {
      at++;
    }
    return at;
  }

  /** The marks after the reservation of a mark has given back units, at most {@link #most}. */
  Marks without(long mark, long units) {
    int at = indexOf(mark);
    long left = most(mark) - units;
    List<Mark> after = new ArrayList<>();
    for (int i = 0; i < marks.size(); i++) {
      Mark one = marks.get(i);
      long low = i < at ? Math.min(one.lowUnits(), left) : one.lowUnits() - units;
      add(after, new Mark(one.number(), low));
    }
    return new Marks(untilMicros, newest, after);
  }
}
