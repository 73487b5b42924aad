package io.weir.state.policy;

/** No policy is in force, and none was given to begin with. */
public final class NoPolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoPolicyException() {
    super(
        "no policy is in force (expected: one that a node or an operator has published, or a first one)");
  }
}
