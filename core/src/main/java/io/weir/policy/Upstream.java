package io.weir.policy;

import java.net.URI;

/**
 * Where the gateway forwards to.
 *
 * @param uri scheme {@code http} or {@code https}, host and optional port; no path
 * @param connectTimeoutMillis how long a connection may take
 * @param timeoutMillis how long the upstream may be silent
 * @param maxBodyBytes the longest request body that is forwarded
 * @param honoursIdempotencyKeys whether it acts once only on all requests with one {@code Idempotency-Key}
 */
public record Upstream(
    URI uri,
    int connectTimeoutMillis,
    int timeoutMillis,
    long maxBodyBytes,
    boolean honoursIdempotencyKeys) {}
