package io.weir.core.policy;

import java.net.URI;

/**
 * The target to which the gateway forwards.
 *
 * @param uri scheme {@code http} or {@code https}, host and optional port; no path
 * @param connectTimeoutMillis how long a connection may take
 * @param timeoutMillis how long the upstream may send nothing
 * @param maxBodyBytes the longest request body that is forwarded
 * @param honoursIdempotencyKeys whether it acts only once on all requests with one {@code Idempotency-Key}
 */
public record Upstream(
    URI uri,
    int connectTimeoutMillis,
    int timeoutMillis,
    long maxBodyBytes,
    boolean honoursIdempotencyKeys) {}
