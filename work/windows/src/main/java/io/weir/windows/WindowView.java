package io.weir.windows;

/**
 * The state of a window.
 *
 * @param next the beginning of the next range
 * @param watermark the first number that is not committed
 * @param open ranges that are not committed
 * @param todo open ranges without a claim
 * @param busy open ranges that are claimed or wait for another attempt
 * @param failed open ranges that have failed for good
 */
public record WindowView(long next, long watermark, long open, long todo, long busy, long failed) {}
