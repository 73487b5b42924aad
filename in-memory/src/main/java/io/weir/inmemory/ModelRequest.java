package io.weir.inmemory;

/**
 * The request as a limit sees it.
 *
 * @param nowMicros the instant, since the epoch
 * @param cost in operations, above 0
 * @param held the number of permits held that have not expired
 * @param levels the levels of the buckets of the request
 */
public record ModelRequest(long nowMicros, long cost, long held, Levels levels) {

  /** The same request with another number of held permits. */
  public ModelRequest withHeld(long permits) {
    return new ModelRequest(nowMicros, cost, permits, levels);
  }

  /** The levels of buckets. */
  @FunctionalInterface
  public interface Levels {
    /** The units used of a bucket before the request, drained; 0 if the request does not use it. */
    long usedUnits(String bucket);
  }
}
