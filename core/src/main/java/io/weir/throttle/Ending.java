package io.weir.throttle;

/** How a hold ends. */
public sealed interface Ending {

  /** Instead of a cost, where nobody knows it: what was charged at first stays. */
  long AS_RESERVED = -1;

  /**
   * The request cost this much.
   *
   * @param cost in operations, at least 0; or {@link #AS_RESERVED}
   */
  record Settled(long cost) implements Ending {}

  /** Nothing was done for the request: all is given back. */
  record Cancelled() implements Ending {}

  /** Nobody held on to it. */
  record Expired() implements Ending {}
}
