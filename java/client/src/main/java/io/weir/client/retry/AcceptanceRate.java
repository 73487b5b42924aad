package io.weir.client.retry;

import java.util.concurrent.TimeUnit;

/**
 * The share of requests to an upstream that it accepted in the last two minutes, and the share to refuse here: {@code
 * max(0, (requests − k × accepts) / (requests + 1))} (Google, Site Reliability Engineering, chapter 21). Mutable; safe
 * for use by many threads.
 */
final class AcceptanceRate {
  private static final int SPANS = 24;
  private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final double k;
  private final long[] requests = new long[SPANS];
  private final long[] accepts = new long[SPANS];
  private long newest = Long.MIN_VALUE;

  AcceptanceRate(double k) {
    this.k = k;
  }

  /** Counts a request and returns whether to refuse it here. */
  synchronized boolean refuses(long nowNanos, double random) {
    int span = span(nowNanos);
    double asked = sum(requests);
    requests[span]++;
    return random < (asked - k * sum(accepts)) / (asked + 1);
  }

  /** Counts a request that the upstream accepted. */
  synchronized void accepted(long nowNanos) {
    accepts[span(nowNanos)]++;
  }

  private int span(long nowNanos) {
    long now = Math.floorDiv(nowNanos, SPAN_NANOS);
    long first = newest == Long.MIN_VALUE ? now : Math.max(newest + 1, now - SPANS + 1);
    for (long passed = first; passed <= now; passed++) {
      requests[Math.floorMod(passed, SPANS)] = 0;
      accepts[Math.floorMod(passed, SPANS)] = 0;
    }
    newest = Math.max(newest, now);
    return Math.floorMod(newest, SPANS);
  }

  private static double sum(long[] spans) {
    long sum = 0;
    for (long span : spans) {
      sum += span;
    }
    return sum;
  }
}
