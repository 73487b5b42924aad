package io.weir.windows;

/** How often ranges of a {@link ModelWindow} are committed. Mutable; owned by its window. */
final class ModelPace {
  private static final long SHORTEST = 10_000;
  private static final long SECOND = 1_000_000;
  private static final long LONGEST = 60 * SECOND;

  /** The average time between two ranges, 0 before the first one. */
  private long gapMicros;

  private long committedMicros;

  /** An average that moves by a fifth; idle times count as four times the average. */
  void committed(int ranges, long now) {
    double seen = committedMicros > 0 ? Math.max(0, now - committedMicros) / (double) ranges : 0;
    double capped = Math.min(seen, gapMicros > 0 ? 4.0 * gapMicros : 1.0 * SECOND);
    gapMicros = (long) (gapMicros > 0 ? gapMicros + 0.2 * (capped - gapMicros) : capped);
    committedMicros = now;
  }

  /** A caller waits for one gap, or for a quarter of a longer pause, up to a second. */
  long waitMicros(long now) {
    if (gapMicros == 0) {
      return SECOND;
    }
    long quarter = Math.max(0, now - committedMicros) / 4;
    return Math.min(LONGEST, Math.max(SHORTEST, Math.max(gapMicros, Math.min(SECOND, quarter))));
  }

  /** The wait of a worker: not beyond the next end of a lease or a wait. */
  long waitMicros(long now, long nextEnd) {
    return Math.max(SHORTEST, Math.min(waitMicros(now), nextEnd - now));
  }
}
