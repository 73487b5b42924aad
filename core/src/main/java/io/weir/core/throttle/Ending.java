package io.weir.core.throttle;

/** The way in which a hold ends. */
public sealed interface Ending {

  /** Instead of an unknown cost: the initial charge stays. */
  long AS_RESERVED = -1;

  /**
   * The request cost this much.
   *
   * @param cost in operations, at least 0; or {@link #AS_RESERVED}
   */
  record Settled(long cost) implements Ending {}

  /** Nothing was done for the request; everything is given back. */
  record Cancelled() implements Ending {}

  /** It was not renewed or settled in time. */
  record Expired() implements Ending {}

  /** Its permits are free; a reservation stays for another end. */
  record Released() implements Ending {}
}
