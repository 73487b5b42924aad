package io.weir.throttle;

import org.jspecify.annotations.Nullable;

/** The shared state did not answer, or not in time. Whether it took anything is unknown. */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final StoreFault fault;

  public StoreUnavailableException(StoreFault fault, String message, @Nullable Throwable cause) {
    // Without a stack trace: at a failover there is one for each request, and none tells more.
    super(message, cause, false, false);
    this.fault = fault;
  }

  public StoreFault fault() {
    return fault;
  }
}
