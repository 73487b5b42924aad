package io.weir.client.retry;

/** The remaining budget for retries. Mutable; safe for use by many threads. */
final class Budget {
  private static final int WHOLE = 1000;

  private final long shareMilli;
  private final long mostMilli;
  private long leftMilli;

  Budget(BudgetOptions options) {
    this.shareMilli = Math.round(options.share() * WHOLE);
    this.mostMilli = Math.max(1, options.reserve()) * (long) WHOLE;
    this.leftMilli = options.reserve() * (long) WHOLE;
  }

  /** Credits a call. */
  synchronized void deposit() {
    leftMilli = Math.min(mostMilli, leftMilli + shareMilli);
  }

  /** Pays for a retry, if the budget allows. */
  synchronized boolean tryWithdraw() {
    if (leftMilli < WHOLE) {
      return false;
    }
    leftMilli -= WHOLE;
    return true;
  }

  synchronized double left() {
    return (double) leftMilli / WHOLE;
  }
}
