package io.weir.node.upstream;

/** There was no connection to the upstream: it has not seen the request. */
public final class NotSentException extends Exception {
  private static final long serialVersionUID = 1L;

  NotSentException(Throwable why) {
    super(null, why, false, false);
  }
}
