package io.weir.node.gateway;

/** What the upstream sent is no answer. */
final class InvalidAnswerException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidAnswerException() {
    super("no final status", null, false, false);
  }
}
