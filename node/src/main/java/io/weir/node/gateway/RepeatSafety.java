package io.weir.node.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.OperationRule;
import io.weir.core.upstream.RepeatRule;
import io.weir.core.upstream.Sending;
import io.weir.node.admission.Asked;
import io.weir.node.json.JsonRpcMethods;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may be sent again although a provider may have executed it: by its method, by its key, or
 * by the operator's rule. Mutable; owned by one request.
 */
final class RepeatSafety {
  // RFC 9110, section 9.2.2
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");
  /** Scanning a longer body would block the event loop for too long. */
  private static final int MAX_READ_BYTES = 32 << 10;

  private final Asked asked;
  private final MultiMap headers;
  private final Optional<Buffer> body;
  private @Nullable RepeatRule readBy;
  private boolean areMethodsSafe;

  RepeatSafety(Asked asked, MultiMap headers, Optional<Buffer> body) {
    this.asked = asked;
    this.headers = headers;
    this.body = body;
  }

  /** @param sending the current settings for sending to the upstream */
  boolean isSafe(Sending sending) {
    Optional<Boolean> said = asked.rule().flatMap(OperationRule::safeToRepeat);
    return said.orElseGet(() -> IDEMPOTENT.contains(asked.request().method())
        || sending.repeat().isSafe()
        || (sending.honoursIdempotencyKeys() && headers.contains("Idempotency-Key"))
        || areMethodsSafe(sending.repeat()));
  }

  // The body is read once, unless the policy changes.
  private boolean areMethodsSafe(RepeatRule rule) {
    if (!rule.equals(readBy)) {
      readBy = rule;
      areMethodsSafe = !rule.jsonRpcMethods().isEmpty()
          && body.filter(whole -> whole.length() <= MAX_READ_BYTES)
              .filter(whole -> JsonRpcMethods.areAllIn(rule.jsonRpcMethods(), whole))
              .isPresent();
    }
    return areMethodsSafe;
  }
}
