package io.weir.operators.top;

import org.jspecify.annotations.Nullable;

/**
 * The counts of one event loop in the last minute, in slices of time. Its memory is bounded, however many names there
 * are. Mutable; owned by that event loop.
 */
public final class LoopCounts {
  /** The time that is counted. */
  public static final int SECONDS = 60;

  private static final int SLICES = 10;
  private static final long SLICE_NANOS = SECONDS * 1_000_000_000L / SLICES;

  private final @Nullable Slice[] slices = new Slice[SLICES];

  /** @param number of the slice, counted from the clock's zero */
  private record Slice(long number, Tally denied, Tally near) {
    Slice(long number) {
      this(number, new Tally(), new Tally());
    }
  }

  /** Counts denials of a caller. */
  public void denied(SubjectName who, LimitName by, int times, long nowNanos) {
    slice(nowNanos).denied().count(who, by, times);
  }

  /** Counts admissions that left a limit nearly full. */
  public void near(SubjectName who, LimitName by, int times, long nowNanos) {
    slice(nowNanos).near().count(who, by, times);
  }

  /** The counts of the last minute. */
  public Counts counts(long nowNanos, int most) {
    long now = Math.floorDiv(nowNanos, SLICE_NANOS);
    Tally denied = new Tally();
    Tally near = new Tally();
    for (Slice slice : slices) {
      if (slice != null && now - slice.number() < SLICES) {
        denied.add(slice.denied());
        near.add(slice.near());
      }
    }
    return denied.isEmpty() && near.isEmpty()
        ? Counts.NONE
        : new Counts(denied.tops(most), near.tops(most));
  }

  private Slice slice(long nowNanos) {
    long number = Math.floorDiv(nowNanos, SLICE_NANOS);
    int index = (int) Math.floorMod(number, (long) SLICES);
    Slice slice = slices[index];
    if (slice == null || slice.number() != number) {
      slice = new Slice(number);
      slices[index] = slice;
    }
    return slice;
  }
}
