package io.weir.node.auth;

import io.vertx.core.MultiMap;
import io.weir.core.policy.SecretHash;
import java.util.Optional;

/** Admits callers that show a configured token. Without a configured token it admits no caller. */
public final class TokenGuard {
  private final Optional<SecretHash> expected;

  /** @param token the token in clear, or its hash, {@code sha256:} and 64 hexadecimal digits */
  public TokenGuard(Optional<String> token) {
    this.expected = token.map(
        text -> SecretHash.isFormatted(text) ? SecretHash.parse(text) : SecretHash.of(text));
  }

  /** Whether a token is configured. */
  public boolean isConfigured() {
    return expected.isPresent();
  }

  /** Whether these headers carry the token as bearer token. */
  public boolean admits(MultiMap headers) {
    return KeyHeaders.bearer(headers).filter(this::admits).isPresent();
  }

  /** Whether this is the token. */
  public boolean admits(String shown) {
    return expected.isPresent() && expected.get().matches(shown);
  }
}
