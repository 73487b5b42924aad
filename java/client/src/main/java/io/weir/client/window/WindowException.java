package io.weir.client.window;

import java.io.IOException;

/** Thrown if a node refuses a request: a claim is over, a range is in another state, or the request is wrong. */
public final class WindowException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  WindowException(int status, String code, String request) {
    super("%s: %d %s".formatted(request, status, code));
    this.status = status;
    this.code = code;
  }

  /** The status of the answer. */
  public int status() {
    return status;
  }

  /** The code of the problem, such as {@code claim_lost}; empty if the answer has none. */
  public String code() {
    return code;
  }
}
