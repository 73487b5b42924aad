package io.weir.client.retry;

import java.time.Duration;

/**
 * When an upstream is left alone. It is open after so many failures in a row (answers of 500 and above but
 * 503, and calls without an answer; 429 and 503 count neither way); after a while one call tries whether it
 * is back.
 *
 * @param failures in a row, 1 to 10,000
 * @param openFor how long nobody asks it, from 1 ms on
 */
public record BreakerOptions(int failures, Duration openFor) {}
