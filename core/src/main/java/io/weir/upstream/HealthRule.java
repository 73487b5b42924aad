package io.weir.upstream;

import java.util.Set;

/**
 * How the providers of an upstream are asked whether they are well, by one node of the cluster.
 *
 * @param path what is asked for with {@code GET}, with its query
 * @param intervalMillis from one check of a provider to the next
 * @param timeoutMillis how long an answer may take
 * @param healthy checks in a row that close a breaker
 * @param unhealthy checks in a row that open it
 * @param statuses that mean well; empty for 200 to 299
 */
public record HealthRule(
    String path,
    long intervalMillis,
    long timeoutMillis,
    int healthy,
    int unhealthy,
    Set<Integer> statuses) {
  private static final int OK = 200;
  private static final int REDIRECTS = 300;

  public HealthRule {
    statuses = Set.copyOf(statuses);
  }

  /** Whether an answer of this status means well. */
  public boolean isWell(int status) {
    return statuses.isEmpty() ? status >= OK && status < REDIRECTS : statuses.contains(status);
  }

  /** How long one node is the one that asks, unless it renews that; well above an interval. */
  public long leaseMillis() {
    return 2 * intervalMillis + timeoutMillis;
  }
}
