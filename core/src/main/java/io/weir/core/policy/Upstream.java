package io.weir.core.policy;

import java.net.URI;

/**
 * A server to which requests are sent, each once.
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
    boolean honoursIdempotencyKeys)
    implements Destination {
  /** It has no name. */
  @Override
  public String name() {
    return "";
  }

  @Override
  public Upstream settings() {
    return this;
  }

  @Override
  public long queueMillis() {
    return 0;
  }

  @Override
  public RetryRule retry() {
    return RetryRule.ONCE;
  }

  @Override
  public RepeatRule repeat() {
    return RepeatRule.NONE;
  }

  @Override
  public boolean hasGroups() {
    return false;
  }
}
