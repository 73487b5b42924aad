package io.weir.batch;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An item as it is sent, without references.
 *
 * @param target the path, with its query
 * @param key its idempotency key
 * @param isRepeatable whether repeating it is safe: the method is idempotent (RFC 9110, section 9.2.2), or the upstream
 *     honours the key
 * @param atMost the longest time it may take
 * @param isCounted whether it continues an admitted item
 * @param fingerprint of the content, so that the key cannot be reused for another request
 */
record ResolvedItem(
    String method,
    String target,
    Map<String, String> headers,
    Buffer body,
    Optional<String> key,
    boolean isRepeatable,
    Duration atMost,
    boolean isCounted,
    String fingerprint) {}
