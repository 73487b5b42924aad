package io.weir.node.upstream;

/** The reason why a failed request was not sent again. */
public enum NotRetried {
  /** It had all its attempts. */
  ATTEMPTS,
  /** The budget of retries was used up. */
  BUDGET,
  /** A server may have acted upon it, and repeating it is not safe. */
  UNSAFE,
  /** Its body cannot be sent again. */
  BODY,
  /** The caller had part of the answer. */
  BEGUN,
  /** The only server asked for a wait. */
  ALONE,
  /** There was no time left. */
  TIME,
  /** It got no further turn. */
  REFUSED,
  /** Its caller hung up. */
  CANCELLED
}
