package io.weir.benchmarks;

/**
 * The results of one run of one contender.
 *
 * @param perSecond decisions a second
 * @param p50Micros median time to the answer
 * @param p99Micros time within which 99 % were answered
 * @param cpuMicros CPU time of the process that asks Redis, for each decision; over HTTP, of the server
 * @param redisCpuMicros CPU time of Redis for each decision
 * @param unlike missing answers, and answers other than the contender is set up for
 */
public record Sample(
    double perSecond,
    double p50Micros,
    double p99Micros,
    double cpuMicros,
    double redisCpuMicros,
    long unlike) {}
