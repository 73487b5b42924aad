package io.weir.core.throttle;

/** The reason why the shared state did not decide. */
public enum StoreFault {
  /** No server answers, or it takes no writes because it has just lost its role in a failover. */
  UNREACHABLE,
  /** It did not answer in time. */
  SLOW,
  /** It answers, but the load of one caller or of all is above its or this node's capacity. */
  OVERLOADED,
  /** It refuses: a wrong password, a missing permission, no memory left. */
  REFUSED,
  /** It is not usable: an unknown script or command, or a redirect. */
  MISCONFIGURED,
  /** The stored data cannot be understood. */
  DATA;

  /** Whether it is an outage. The other faults never let a request pass uncounted: waiting does not repair them. */
  public boolean isOutage() {
    return this == UNREACHABLE || this == SLOW;
  }
}
