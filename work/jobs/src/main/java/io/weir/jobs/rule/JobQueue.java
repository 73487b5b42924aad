package io.weir.jobs.rule;

/**
 * The state of the queue of an operation. Times are in microseconds, 0 if none was observed yet.
 *
 * @param waiting jobs that wait to be checked
 * @param dispatch jobs that wait to be sent
 * @param checking jobs that are being checked
 * @param running jobs that are at the upstream
 * @param checkMicros the observed median time of a check
 * @param processingMicros the observed median time of the upstream's answer
 */
public record JobQueue(
    long waiting,
    long dispatch,
    long checking,
    long running,
    long checkMicros,
    long processingMicros) {}
