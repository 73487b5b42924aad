package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.keys.record.KeyText;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The text of keys. */
final class KeyTextTest {
  private final SecureRandom random = new SecureRandom();

  @Test
  void aNewKeyIsReadAgain() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      KeyText made = KeyText.make("k1", random);
      assertThat(made.text()).matches("weir_k1\\.[0-9A-Za-z]{28}");
      assertThat(KeyText.parse(made.text())).contains(made);
      assertThat(seen.add(made.secret())).isTrue();
    }
  }

  @Test
  void everyWrongCharacterFailsTheChecksum() {
    String text = KeyText.make("k1", random).text();
    for (int i = KeyText.PREFIX.length(); i < text.length(); i++) {
      char other = text.charAt(i) == 'x' ? 'y' : 'x';
      String wrong = text.substring(0, i) + other + text.substring(i + 1);
      assertThat(KeyText.parse(wrong)).as("character %d", i).isEmpty();
    }
  }

  @Test
  void theChecksumIsTheOneThatIsDocumented() {
    // CRC-32 of "weir_k1.0123456789ABCDEFGHIJKL", to the base 62
    KeyText made = KeyText.of("k1", new byte[] {1});
    assertThat(made.secret()).startsWith("1000000000000000000000");
    assertThat(KeyText.parse(made.text())).contains(made);
  }

  @Test
  void keysOfPoliciesHaveNoPrefix() {
    assertThat(KeyText.parse("k1.secret").map(KeyText::id)).contains("k1");
    assertThat(KeyText.parse("k1.")).isEmpty();
    assertThat(KeyText.parse(".secret")).isEmpty();
    assertThat(KeyText.parse("no-dot")).isEmpty();
    assertThat(KeyText.parse("a b.secret")).isEmpty();
    assertThat(KeyText.parse("k." + "x".repeat(600))).isEmpty();
  }

  @Test
  void newIdsAreIds() {
    for (int i = 0; i < 100; i++) {
      assertThat(KeyText.newId(random)).matches("k[a-z0-9]{16}");
    }
  }

  @Test
  void aKeyDoesNotShowItsSecretByAccident() {
    KeyText made = KeyText.make("k1", random);
    assertThat(made.toString()).doesNotContain(made.secret());
  }
}
