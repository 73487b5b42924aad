package io.weir.window;

/**
 * The settings of a window.
 *
 * @param width ranges that may be open: not committed yet
 * @param attempts how often a range is tried before it has failed
 * @param leaseMicros after which a range of a dead worker is handed out again
 * @param backoffMicros the first wait before a range is tried again; it doubles each time, up to a minute
 * @param keepsResults whether results are kept until the planner commits them; else what is done is committed at once, in
 *     order
 */
public record WindowRule(
    String name,
    int width,
    int attempts,
    long leaseMicros,
    long backoffMicros,
    boolean keepsResults) {}
