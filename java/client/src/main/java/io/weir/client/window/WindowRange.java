package io.weir.client.window;

/**
 * A range of a window; both ends are included.
 *
 * @param state such as {@code done}, {@code skipped} or {@code failed}
 * @param attempts how often a worker has tried it
 * @param note the result, or the reason of the last failure; may be empty
 */
public record WindowRange(long from, long to, String state, long attempts, String note) {}
