package io.weir.core.throttle;

/** Thrown if an operation takes permits and the caller did not say when the request ends. */
public final class HoldNeededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public HoldNeededException(String operation) {
    super("the operation '%s' takes permits".formatted(operation), null, false, false);
  }
}
