package io.weir.core.policy;

/**
 * A policy with its place in the order of all policies of a cluster.
 *
 * @param revision above 0; the newest wins
 */
public record PolicyRevision(long revision, Policy policy) {

  public PolicyRevision {
    if (revision <= 0) {
      throw new IllegalArgumentException("revision: %d (expected: > 0)".formatted(revision));
    }
  }
}
