package io.weir.core.throttle;

import java.util.concurrent.CompletionException;

/** Reads the failures of asynchronous calls to a store. */
public final class Failures {
  private Failures() {}

  /** The failure itself, without the {@link CompletionException} that a stage wraps around it. */
  public static Throwable cause(Throwable error) {
    Throwable cause = error.getCause();
    return error instanceof CompletionException && cause != null ? cause : error;
  }

  /** Whether the store was out of reach: another node, or a later call, may succeed. */
  public static boolean isOutage(Throwable error) {
    return cause(error) instanceof StoreUnavailableException unavailable
        && unavailable.fault().isOutage();
  }
}
