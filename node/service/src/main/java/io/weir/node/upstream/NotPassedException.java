package io.weir.node.upstream;

/** The answer of a provider was withheld: another attempt is allowed. */
final class NotPassedException extends Exception {
  private static final long serialVersionUID = 1L;

  NotPassedException() {
    super(null, null, false, false);
  }
}
