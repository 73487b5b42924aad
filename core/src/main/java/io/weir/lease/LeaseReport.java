package io.weir.lease;

/**
 * What a holder says of its lease, and what it wants. All amounts are in units of the bucket.
 *
 * @param holder who it is: a node, in one life, with one shape of the bucket
 * @param sequence the number of the report; a later one has a higher number
 * @param spent all that the holder has spent in its life, modulo {@link #MODULUS}
 * @param acknowledged so much of that is known to have been heard, likewise
 * @param keeps what it holds and may still spend
 * @param wants how much more it would like
 * @param least less than this is of no use to it, above 0
 */
public record LeaseReport(
    String holder,
    long sequence,
    long spent,
    long acknowledged,
    long keeps,
    long wants,
    long least) {
  /** Sums are kept modulo 2⁵³, the first integer that a script cannot tell from the next. No bucket holds as much. */
  public static final long MODULUS = 1L << 53;
}
