package io.weir.node.provider;

/** How many requests may be tried again: a share of all, so that retries storm nobody. Owned by one event loop. */
public final class RetryBudget {
  private static final double MOST = 20;
  private static final double AT_FIRST = 3;
  private static final double HUNDRED = 100;

  private double left;

  /** @param percent of the requests; with 0 none is */
  public RetryBudget(int percent) {
    this.left = percent > 0 ? AT_FIRST : 0;
  }

  /** A request comes. */
  public void earn(int percent) {
    left = Math.min(MOST, left + percent / HUNDRED);
  }

  /** Whether one may be tried again; then it is spent. */
  public boolean spend() {
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
