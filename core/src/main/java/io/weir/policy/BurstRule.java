package io.weir.policy;

/** What happens to a burst in which not even one operation of a group fits. */
enum BurstRule {
  /** It is a problem. */
  REFUSE,
  /** It is made as long as it must be, with a warning. */
  EXTEND
}
