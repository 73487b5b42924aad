package io.weir.state.control;

/** Another revision of the policy is in force than was expected. */
public final class ChangedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ChangedException() {
    super("another revision is in force", null, false, false);
  }
}
