package io.weir.node.auth;

import io.vertx.core.MultiMap;
import io.weir.policy.SecretHash;
import java.util.Optional;

/** Opens a door to those who show a token. Without a token configured it opens to nobody. */
public final class TokenGuard {
  private final Optional<SecretHash> expected;

  /** @param token the token in clear, or its hash, {@code sha256:} and 64 hexadecimal digits */
  public TokenGuard(Optional<String> token) {
    this.expected = token.map(
        text -> SecretHash.isFormatted(text) ? SecretHash.parse(text) : SecretHash.of(text));
  }

  /** Whether anybody can pass. */
  public boolean isConfigured() {
    return expected.isPresent();
  }

  /** Whether these headers show the token as bearer token. */
  public boolean admits(MultiMap headers) {
    Optional<String> shown = ApiKey.bearer(headers);
    return expected.isPresent() && shown.isPresent() && expected.get().matches(shown.get());
  }
}
