package io.weir.providers.slot;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.upstream.RequestHeaders;
import io.weir.providers.queue.BookedSlot;
import io.weir.providers.queue.KeysHere;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import java.util.Set;

/**
 * An upstream with the keys that this node has.
 *
 * @param configured as it is in the policy
 * @param upstream without the keys that are missing here
 * @param keyHeaders the headers that carry our keys at any provider, as of {@link io.weir.node.upstream.ForwardedHeaders#plain}
 */
record UsableProviders(Providers configured, Providers upstream, Set<String> keyHeaders) {
  private static final ProblemDetails NO_KEY = ProblemDetails.of(
      503, "upstream_key_missing", "This node has no key of any provider that serves this");

  UsableProviders {
    keyHeaders = Set.copyOf(keyHeaders);
  }

  /** Throws {@link RefusedException} if no provider has a usable key. */
  void refuseKeyless(String group) {
    if (upstream.serving(group).isEmpty()) {
      throw new RefusedException(NO_KEY);
    }
  }

  /** Whether there is a key slot that the request was not sent by. */
  boolean hasAnother(String group, Set<String> before) {
    int slots =
        upstream.serving(group).stream().mapToInt(one -> one.slots().size()).sum();
    return slots > before.size();
  }

  /** The headers to send: without the caller's secrets, with our key. */
  MultiMap headers(KeysHere keys, RequestHeaders of, Provider provider, BookedSlot entered) {
    MultiMap headers = of.foreign(upstream.at(provider), keyHeaders);
    if (upstream.sending().jsonRpc().isRead()) {
      headers.set(HttpHeaders.ACCEPT_ENCODING, HttpHeaders.IDENTITY); // its body is inspected
    }
    provider
        .key(entered.key())
        .ifPresent(key -> keys.value(key).ifPresent(value -> headers.set(key.header(), value)));
    return headers;
  }
}
