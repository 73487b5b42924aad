package io.weir.state.policy;

/** The revision in force is not the expected one. */
public final class ChangedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ChangedException() {
    super("another revision is in force", null, false, false);
  }
}
