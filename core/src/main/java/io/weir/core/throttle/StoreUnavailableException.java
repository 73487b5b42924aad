package io.weir.core.throttle;

import org.jspecify.annotations.Nullable;

/** The shared state did not answer, or not in time. Whether it took anything is unknown. */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final StoreFault fault;

  public StoreUnavailableException(StoreFault fault, String message, @Nullable Throwable cause) {
    // Without a stack trace: a failover throws one for each request, and the traces say nothing.
    super(message, cause, false, false);
    this.fault = fault;
  }

  public StoreFault fault() {
    return fault;
  }
}
