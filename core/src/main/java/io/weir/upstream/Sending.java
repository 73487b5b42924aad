package io.weir.upstream;

import java.util.Set;

/**
 * How requests are sent to the providers of an upstream.
 *
 * @param timeoutMillis how long nothing may move
 * @param honoursIdempotencyKeys whether they act once only on all requests with one key
 * @param isJsonRpc whether answers are looked into for JSON-RPC errors that mean 429
 * @param jsonRpcCodes of errors that mean it here, beside those that mean it everywhere
 * @param repeat which requests may be repeated though a provider may have acted upon them
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
