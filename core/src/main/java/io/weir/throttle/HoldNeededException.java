package io.weir.throttle;

/** The operation takes permits: who asks for it has to say when it ends. */
public final class HoldNeededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public HoldNeededException(String operation) {
    super("the operation '%s' takes permits".formatted(operation), null, false, false);
  }
}
