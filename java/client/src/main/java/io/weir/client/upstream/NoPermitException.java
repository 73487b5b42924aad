package io.weir.client.upstream;

import java.io.IOException;

/** Thrown if no permit was given: the queue is full, no provider was free in time, or all have failed. */
public final class NoPermitException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  NoPermitException(int status, String problem) {
    super("no permit: %d %s".formatted(status, problem));
    this.status = status;
  }

  /** The last answer's status. */
  public int status() {
    return status;
  }
}
