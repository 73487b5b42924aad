package io.weir.providers.rule;

import io.weir.core.policy.RepeatRule;

/**
 * How requests are sent to the providers of an upstream.
 *
 * @param timeoutMillis the longest time without any data
 * @param honoursIdempotencyKeys whether the providers act only once on all requests with one key
 * @param jsonRpc the meaning of JSON-RPC errors in answers
 * @param repeat the requests that may be repeated though a provider may have acted upon them
 */
public record Sending(
    int connectTimeoutMillis,
    int timeoutMillis,
    long maxBodyBytes,
    boolean honoursIdempotencyKeys,
    JsonRpcRule jsonRpc,
    RepeatRule repeat) {}
