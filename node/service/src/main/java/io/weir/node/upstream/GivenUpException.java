package io.weir.node.upstream;

/** The caller hung up before the turn of the request: it was not sent. */
public final class GivenUpException extends Exception {
  private static final long serialVersionUID = 1L;

  public GivenUpException() {
    super("the caller hung up before his turn", null, false, false);
  }
}
