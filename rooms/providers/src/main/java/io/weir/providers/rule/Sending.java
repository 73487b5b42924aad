package io.weir.providers.rule;

import io.weir.core.policy.RepeatRule;
import java.util.Set;

/**
 * How requests are sent to the providers of an upstream.
 *
 * @param timeoutMillis the longest time without any data
 * @param honoursIdempotencyKeys whether the providers act only once on all requests with one key
 * @param isJsonRpc whether answers are searched for JSON-RPC errors that mean 429
 * @param jsonRpcCodes codes of such errors, in addition to the common ones
 * @param repeat the requests that may be repeated though a provider may have acted upon them
 */
public record Sending(
    int connectTimeoutMillis,
    int timeoutMillis,
    long maxBodyBytes,
    boolean honoursIdempotencyKeys,
    boolean isJsonRpc,
    Set<Integer> jsonRpcCodes,
    RepeatRule repeat) {
  public Sending {
    jsonRpcCodes = Set.copyOf(jsonRpcCodes);
  }
}
