package io.weir.node.upstream;

/** The upstream sent an invalid answer. */
final class InvalidAnswerException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidAnswerException() {
    super("no final status", null, false, false);
  }
}
