package io.weir.core.policy.read;

/** The treatment of a burst that cannot hold one operation of a group. */
enum BurstRule {
  /** Reports a problem. */
  REFUSE,
  /** Extends it as needed, with a warning. */
  EXTEND
}
