package io.weir.node.provider;

/** How many requests may be tried again: a share of all, so that retries storm nobody. Owned by one event loop. */
public final class RetryBudget {
  private static final double MOST = 20;
  private static final double AT_FIRST = 3;
  private static final double HUNDRED = 100;

  private double left;
  private int percent;

  /** @param percent of the requests; with 0 none is */
  public RetryBudget(int percent) {
    this.percent = percent;
    this.left = AT_FIRST;
  }

  /** A request comes. */
  public void earn(int percent) {
    this.percent = percent;
    left = Math.min(MOST, left + percent / HUNDRED);
  }

  /** Whether one may be tried again; then it is spent. */
  public boolean spend() {
    if (percent == 0 || left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
