package io.weir.operators.cases;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Counts by slices of time: those of the last ones, the running one among them. A clock that goes back stands still.
 * Mutable; for one thread at a time.
 */
public final class Ring {
  private final long sliceMillis;
  private final int[] counts;
  private long newest;
  private int current;
  /** The end of the newest slice: events before it need no division. */
  private long endsMillis;

  public Ring(int slices, long sliceMillis, long nowMillis) {
    this.sliceMillis = sliceMillis;
    this.counts = new int[slices];
    this.newest = Math.floorDiv(nowMillis, sliceMillis);
    this.current = index(newest);
    this.endsMillis = (newest + 1) * sliceMillis;
  }

  public void add(int more, long nowMillis) {
    advance(nowMillis);
    counts[current] += more;
  }

  /** The counts of the slices, the running one last. */
  public List<Integer> counts(long nowMillis) {
    advance(nowMillis);
    return IntStream.rangeClosed(1, counts.length)
        .mapToObj(i -> counts[index(newest + i)])
        .toList();
  }

  /** Their sum. */
  public long sum(long nowMillis) {
    advance(nowMillis);
    return IntStream.of(counts).asLongStream().sum();
  }

  private void advance(long nowMillis) {
    if (nowMillis < endsMillis) {
      return;
    }
    long now = Math.floorDiv(nowMillis, sliceMillis);
    for (long slice = Math.max(newest, now - counts.length) + 1; slice <= now; slice++) {
      counts[index(slice)] = 0;
    }
    newest = now;
    current = index(newest);
    endsMillis = (newest + 1) * sliceMillis;
  }

  private int index(long slice) {
    return (int) Math.floorMod(slice, (long) counts.length);
  }
}
