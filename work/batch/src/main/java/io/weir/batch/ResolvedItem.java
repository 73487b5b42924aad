package io.weir.batch;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An item as it is sent, without references.
 *
 * @param atMost the longest time it may take
 * @param isCounted whether it continues an admitted item
 */
record ResolvedItem(Message message, Repetition repetition, Duration atMost, boolean isCounted) {

  /** @param target the path, with its query */
  record Message(String method, String target, Map<String, String> headers, Buffer body) {}

  /**
   * The effect of a repetition.
   *
   * @param key its idempotency key
   * @param isSafe whether the method is idempotent (RFC 9110, section 9.2.2), or the upstream honours the key
   * @param fingerprint of the content, so that the key cannot be reused for another request
   */
  record Repetition(Optional<String> key, boolean isSafe, String fingerprint) {}
}
