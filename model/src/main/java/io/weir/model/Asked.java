package io.weir.model;

/**
 * One request, as a limit sees it.
 *
 * @param nowMicros the instant, since the epoch
 * @param cost in operations, above 0
 * @param held how many permits are held that have not expired
 * @param levels how full the buckets of the request are
 */
public record Asked(long nowMicros, long cost, long held, Levels levels) {

  /** The same at another cost. */
  public Asked withCost(long operations) {
    return new Asked(nowMicros, operations, held, levels);
  }

  /** The same where so many permits are held. */
  public Asked withHeld(long permits) {
    return new Asked(nowMicros, cost, permits, levels);
  }

  /** How full buckets are. */
  @FunctionalInterface
  public interface Levels {
    /** The units used of a bucket before the request, drained; 0 where the request does not ask it. */
    long usedUnits(String bucket);
  }
}
