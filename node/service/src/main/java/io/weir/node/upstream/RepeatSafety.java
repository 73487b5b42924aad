package io.weir.node.upstream;

import io.vertx.core.buffer.Buffer;
import io.weir.client.answer.IdempotentMethods;
import io.weir.core.policy.Destination;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.policy.RepeatRule;
import io.weir.node.json.JsonRpcMethods;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may be sent again although a server may have executed it: by its method, by its key, or
 * by the operator's rule. Mutable; owned by one request.
 */
final class RepeatSafety {
  /** Scanning a longer body would block the event loop for too long. */
  private static final int MAX_READ_BYTES = 32 << 10;

  private final OutgoingRequest request;
  private final Optional<Buffer> body;
  private final boolean isDeclared;
  private @Nullable RepeatRule readBy;
  private boolean areMethodsSafe;

  /** @param isDeclared whether the sender knows that repeating it is safe */
  RepeatSafety(OutgoingRequest request, Optional<Buffer> body, boolean isDeclared) {
    this.request = request;
    this.body = body;
    this.isDeclared = isDeclared;
  }

  /** @param to its destination, by the policy in force */
  boolean isSafe(Destination to) {
    Optional<Boolean> configured =
        request.rule().flatMap(rule -> OperationUpstream.of(rule).safeToRepeat());
    return isDeclared
        || configured.orElseGet(
            () -> IdempotentMethods.contains(request.request().method())
                || to.repeat().isSafe()
                || (to.settings().honoursIdempotencyKeys()
                    && request.request().headers().contains("Idempotency-Key"))
                || areMethodsSafe(to.repeat()));
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
