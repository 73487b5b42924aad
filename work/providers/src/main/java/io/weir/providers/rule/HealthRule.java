package io.weir.providers.rule;

import java.util.Set;

/**
 * The health checks of an upstream's providers, made by one node of the cluster.
 *
 * @param path the path for {@code GET}, with its query
 * @param intervalMillis the time between two checks of a provider
 * @param timeoutMillis the longest time for an answer
 * @param healthy checks in a row that close a breaker
 * @param unhealthy checks in a row that open it
 * @param statuses statuses that mean healthy; empty for 200 to 299
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

  /** Whether an answer of this status means healthy. */
  public boolean isWell(int status) {
    return statuses.isEmpty() ? status >= OK && status < REDIRECTS : statuses.contains(status);
  }

  /** How long a node stays the one that makes the checks without a renewal; well above an interval. */
  public long leaseMillis() {
    return 2 * intervalMillis + timeoutMillis;
  }
}
