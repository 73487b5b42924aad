package io.weir.throttle;

/** How a hold ends. */
public sealed interface Ending {

  /**
   * The request cost this much.
   *
   * @param cost in operations, at least 0
   */
  record Settled(long cost) implements Ending {}

  /** Nothing was done for the request: all is given back. */
  record Cancelled() implements Ending {}

  /** Nobody held on to it. */
  record Expired() implements Ending {}
}
