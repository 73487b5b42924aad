package io.weir.core.policy;

import java.util.Optional;

/** Checks API keys against the policy. */
public final class Authenticator {
  // Used for unknown ids too, so that the response time does not reveal which ids exist.
  private static final SecretHash NOBODY = SecretHash.of("nobody");

  private Authenticator() {}

  /** The subject of this key; empty if the key is malformed, unknown or has another secret. */
  public static Optional<Subject> authenticate(String shown, Policy policy) {
    Optional<ApiKey> key = ApiKey.parse(shown);
    Optional<Subject> subject = key.flatMap(k -> policy.listed(k.id()));
    SecretHash expected = subject.flatMap(Subject::secretHash).orElse(NOBODY);
    boolean matches = expected.matches(key.map(ApiKey::secret).orElse(""));
    return subject.filter(s -> matches && s.secretHash().isPresent());
  }
}
