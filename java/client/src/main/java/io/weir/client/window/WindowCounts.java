package io.weir.client.window;

/**
 * The counts of a window.
 *
 * @param next the number with which the next range begins; 0 if none was opened yet
 * @param watermark the first number that is not committed
 * @param open the ranges that are not committed
 * @param todo those of them that no worker has
 * @param busy those that a worker has
 * @param failed those that wait for a decision of the planner
 */
public record WindowCounts(
    long next, long watermark, long open, long todo, long busy, long failed) {}
