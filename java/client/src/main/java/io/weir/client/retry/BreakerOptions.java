package io.weir.client.retry;

import java.time.Duration;

/**
 * The circuit breaker of an upstream. It opens after so many failures in a row (answers of 500 and above except 501,
 * 503, 505 and 529, and calls without an answer; 429, 503 and 529 count neither way); after a while one call probes the upstream.
 *
 * @param failures in a row, 1 to 10,000
 * @param openFor how long no call is sent to it, from 1 ms on
 */
public record BreakerOptions(int failures, Duration openFor) {}
