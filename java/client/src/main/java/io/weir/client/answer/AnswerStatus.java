package io.weir.client.answer;

import java.util.Set;

/**
 * The meaning of an answer's status for its sender. Health, repeated requests and waits use this one definition, so that
 * a failure that counts against a server is also tried again elsewhere.
 */
public final class AnswerStatus {
  private static final int TIMED_OUT = 408;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERRORS = 500;
  // Not implemented, HTTP version not supported: the request is the cause.
  private static final Set<Integer> OF_REQUEST = Set.of(501, 505);
  // 529 is Anthropic's and Cloudflare's "overloaded".
  private static final Set<Integer> BUSY = Set.of(TOO_MANY, 503, 529);

  // Unauthorized, payment required, forbidden.
  private static final Set<Integer> KEY_REFUSED = Set.of(401, 402, 403);

  private AnswerStatus() {}

  /** Whether the server, or a proxy before it, has failed: 500 and above, but 501 and 505. */
  public static boolean isFailure(int status) {
    return status >= SERVER_ERRORS && !OF_REQUEST.contains(status);
  }

  /** Whether the server works, but has no capacity for the request now: 429, 503 and 529. */
  public static boolean isBusy(int status) {
    return BUSY.contains(status);
  }

  /** Whether the server may have refused the key of the request, so that it was not executed: 401, 402 and 403. */
  public static boolean mayRefuseKey(int status) {
    return KEY_REFUSED.contains(status);
  }

  /** Whether the server did not execute the request: it refused its key, or had too many requests. */
  public static boolean isNotExecuted(int status) {
    return status == TOO_MANY || mayRefuseKey(status);
  }

  /** Whether another attempt may succeed: 408, 429, and each failure. */
  public static boolean isPassing(int status) {
    return status == TIMED_OUT || status == TOO_MANY || isFailure(status);
  }
}
