package io.weir.client.answer;

import java.util.Set;

/** The methods that may be repeated whatever became of the first request (RFC 9110, section 9.2.2). */
public final class IdempotentMethods {
  private static final Set<String> ALL = Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");

  private IdempotentMethods() {}

  /** Whether it is one of them; in upper case. */
  public static boolean contains(String method) {
    return ALL.contains(method);
  }
}
