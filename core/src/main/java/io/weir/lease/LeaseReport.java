package io.weir.lease;

/**
 * What a holder says of its lease, and what it wants. All amounts are in units of the bucket.
 *
 * @param holder who it is: a node, in one life, with one shape of the bucket
 * @param sequence the number of the report; a later one has a higher number
 * @param spent all that the holder has spent in its life
 * @param acknowledged so much of that is known to have been heard
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
    long least) {}
