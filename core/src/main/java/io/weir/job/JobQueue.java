package io.weir.job;

/**
 * How the queue of an operation stands. Times are in microseconds, 0 where none was seen yet.
 *
 * @param waiting jobs that wait to be checked
 * @param dispatch jobs that wait to be sent
 * @param checking jobs that are being checked
 * @param running jobs that the upstream has
 * @param checkMicros how long checking takes at the median, as was seen
 * @param processingMicros the same of the upstream's answer
 */
public record JobQueue(
    long waiting,
    long dispatch,
    long checking,
    long running,
    long checkMicros,
    long processingMicros) {}
