package io.weir.node.batch;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An item as it is sent: nothing in it refers to anything.
 *
 * @param target the path, with its query
 * @param key its idempotency key
 * @param isRepeatable whether doing it twice harms nobody: the method is idempotent (RFC 9110, section 9.2.2), or the
 *     upstream honours the key
 * @param atMost how long it may take
 * @param isCounted whether it goes on with what was admitted
 * @param fingerprint of what is asked, so that nobody asks something else by the same key
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
