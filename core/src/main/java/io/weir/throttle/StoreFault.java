package io.weir.throttle;

/** Why the shared state did not decide. */
public enum StoreFault {
  /** Nothing answers, or it takes no writes because it has just lost its place in a failover. */
  UNREACHABLE,
  /** It did not answer in time. */
  SLOW,
  /** It answers, and more is asked than it or this node can take: of one caller, or of all. */
  OVERLOADED,
  /** It answers, and refuses: a wrong password, a missing permission, no memory left. */
  REFUSED,
  /** It answers, and is not what is needed: a script or command that it does not know, a redirect. */
  MISCONFIGURED,
  /** What is stored cannot be understood. */
  DATA;

  /** Whether it is an outage. The others never let a request pass uncounted: waiting does not mend them. */
  public boolean isOutage() {
    return this == UNREACHABLE || this == SLOW;
  }
}
