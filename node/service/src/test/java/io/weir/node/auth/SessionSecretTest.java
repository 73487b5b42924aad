package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is derived from the cookie of a session. */
final class SessionSecretTest {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SessionSecret secret = SessionSecret.make(RANDOM);

  @Test
  void allFollowsFromTheCookieAndNothingFromItsParts() {
    SessionSecret again = SessionSecret.parse(secret.text()).orElseThrow();

    assertThat(again.name()).isEqualTo(secret.name());
    assertThat(again.csrf()).isEqualTo(secret.csrf());
    assertThat(again.opened(secret.sealed("a token", RANDOM))).hasValue("a token");
    assertThat(Set.of(secret.text(), secret.name(), secret.csrf())).hasSize(3);
    assertThat(secret.toString()).doesNotContain(secret.text());
  }

  @Test
  void aTokenIsOpenedByItsOwnCookieAloneAndUnchanged() {
    String sealed = secret.sealed("a token", RANDOM);
    char last = sealed.charAt(sealed.length() - 2);
    String changed = sealed.substring(0, sealed.length() - 2)
        + (last == 'A' ? 'B' : 'A')
        + sealed.substring(sealed.length() - 1);

    assertThat(SessionSecret.make(RANDOM).opened(sealed)).isEmpty();
    for (String other : new String[] {changed, "", "AAAA", "no base64!"}) {
      assertThat(secret.opened(other)).as(other).isEmpty();
    }
    assertThat(secret.sealed("a token", RANDOM)).isNotEqualTo(sealed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "=", "0123456789012345678901234567890123456789+/=", "ä"})
  void noNodeHasMadeTheseCookies(String text) {
    assertThat(SessionSecret.parse(text)).isEmpty();
  }
}
