package io.weir.node.gateway;

/** The answer of a provider was not told to the caller: another attempt may do better. */
final class NotPassedException extends Exception {
  private static final long serialVersionUID = 1L;

  NotPassedException() {
    super(null, null, false, false);
  }
}
