package io.weir.core.lease;

/**
 * A report of a holder: its lease and its demand. All amounts are in units of the bucket.
 *
 * @param holder the name of the holder: a node, in one life, with one shape of the bucket
 * @param sequence the number of the report; a later one has a higher number
 * @param spent the total spent by the holder in its life, modulo {@link #MODULUS}
 * @param acknowledged the part of that which the pool has confirmed, likewise
 * @param keeps the units that it holds and may still spend
 * @param wants how many more units it wants
 * @param least the smallest useful grant, above 0
 * @param earmark so many units are saved for it, unless as many are granted; 0 for none
 */
public record LeaseReport(
    String holder,
    long sequence,
    long spent,
    long acknowledged,
    long keeps,
    long wants,
    long least,
    long earmark) {
  /**
   * Sums are kept modulo 2⁵³, the first integer that a Lua number cannot distinguish from the next. No bucket holds as
   * much.
   */
  public static final long MODULUS = 1L << 53;
}
