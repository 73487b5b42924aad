package io.weir.windows;

/**
 * The settings of a window.
 *
 * @param width the most open ranges, which are not committed yet
 * @param attempts how often a range is tried before it fails for good
 * @param leaseMicros the time after which a range of a dead worker is handed out again
 * @param backoffMicros the first wait before a range is tried again; it doubles each time, up to a minute
 * @param keepsResults whether results are kept until the planner commits them; otherwise finished ranges are committed
 *     at once, in order
 */
public record WindowRule(
    String name,
    int width,
    int attempts,
    long leaseMicros,
    long backoffMicros,
    boolean keepsResults) {}
