package io.weir.window;

/**
 * How a window stands.
 *
 * @param next where the next range begins
 * @param watermark the first number that is not committed
 * @param open ranges that are not committed
 * @param todo of them, those that nobody has claimed
 * @param busy of them, those that are claimed, or wait to be tried again
 * @param failed of them, those that have failed for good
 */
public record WindowView(long next, long watermark, long open, long todo, long busy, long failed) {}
