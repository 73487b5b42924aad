package io.weir.node.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.upstream.Provider;
import io.weir.core.upstream.Providers;
import io.weir.node.admission.Asked;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.provider.KeysHere;
import io.weir.node.provider.ProviderGate.Entered;
import java.util.Set;

/**
 * An upstream with the keys that this node has.
 *
 * @param keyHeaders the headers that carry our keys at any provider, as of {@link ForwardedHeaders#plain}
 */
record UsableProviders(Providers upstream, Set<String> keyHeaders) {
  private static final ProblemDetails NO_KEY = ProblemDetails.of(
      503, "upstream_key_missing", "This node has no key of any provider that serves this");

  UsableProviders {
    keyHeaders = Set.copyOf(keyHeaders);
  }

  /** Throws {@link RefusedException} if no provider has a usable key. */
  void refuseKeyless(Asked asked) {
    if (upstream.serving(asked.group()).isEmpty()) {
      throw new RefusedException(NO_KEY);
    }
  }

  /** Whether there is a key slot that the request was not sent by. */
  boolean hasAnother(Asked asked, Set<String> before) {
    int slots = upstream.serving(asked.group()).stream()
        .mapToInt(one -> one.slots().size())
        .sum();
    return slots > before.size();
  }

  /** The headers to send: without the caller's secrets, with our key. */
  MultiMap headers(KeysHere keys, Asked to, Provider provider, Entered entered) {
    MultiMap headers = ForwardedHeaders.toProvider(to, keyHeaders);
    if (upstream.sending().isJsonRpc()) {
      headers.set(HttpHeaders.ACCEPT_ENCODING, HttpHeaders.IDENTITY); // its body is inspected
    }
    provider
        .key(entered.key())
        .ifPresent(key -> keys.value(key).ifPresent(value -> headers.set(key.header(), value)));
    return headers;
  }
}
