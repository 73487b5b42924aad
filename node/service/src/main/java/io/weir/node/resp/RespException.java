package io.weir.node.resp;

/** A command that is answered by an error. */
final class RespException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isLast;

  private RespException(String error, boolean isLast) {
    super(error, null, false, false);
    this.isLast = isLast;
  }

  /** @param error its code in capitals, and words for people: {@code ERR unknown command} */
  static RespException of(String error) {
    return new RespException(error, false);
  }

  /** Bytes that are no command: nothing that follows them can be understood. */
  static RespException protocol(String what) {
    return new RespException("ERR Protocol error: " + what, true);
  }

  /** An error after which the connection is closed. */
  static RespException last(String error) {
    return new RespException(error, true);
  }

  /** Whether the connection is closed after it. */
  boolean isLast() {
    return isLast;
  }

  /** The code and the words. */
  String error() {
    return String.valueOf(getMessage());
  }
}
