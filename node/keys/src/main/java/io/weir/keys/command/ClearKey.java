package io.weir.keys.command;

import io.weir.core.policy.SecretHash;
import io.weir.keys.record.KeyText;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Keys in clear, as files of other systems have them. Files that people publish have a placeholder in their place, and a
 * key made of one would be known to everybody: what is not surely a key is refused.
 */
final class ClearKey {
  // RFC 6750, section 2.1: what a bearer token consists of. Each way to name a value that is
  // elsewhere needs another
  // character: $NAME, ${NAME}, {{ name }}, %NAME%, <name>, #{name}, @name@, ENC[...], ((name)),
  // vault:..., env:...
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  // Names of values, which consist of such characters all the same: API_KEY, /run/secrets/key,
  // projects/p/secrets/s
  private static final Pattern NAME = Pattern.compile("_*[A-Z]+(_+[A-Z]+)+_*"
      + "|/?(run|etc|var|mnt|opt|home|projects|secrets?|vault)/.*"
      + "|(?i:.*(change|replace)[-_.]?(me|this).*)"
      + "|(?i:(.*[-_./])?(your|placeholder|redacted|insert|todo|undefined)([-_./].*)?)");

  private static final int FEWEST_CHARACTERS = 4;

  private ClearKey() {}

  /**
   * Why a text is not taken over as a key; empty if it is. The answer does not repeat the text.
   *
   * @param id of the record that shall have it; empty if the key names it
   */
  static Optional<String> problem(String key, Optional<String> id) {
    Optional<KeyText> text = KeyText.parse(key);
    boolean isNamed = text.isPresent() && id.map(text.get().id()::equals).orElse(true);
    if (key.length() < KeyText.MIN_OPAQUE || key.length() > KeyText.MAX_LENGTH) {
      return Optional.of("%d characters (expected: %d to %d)"
          .formatted(key.length(), KeyText.MIN_OPAQUE, KeyText.MAX_LENGTH));
    }
    if (SecretHash.isFormatted(key)) {
      return Optional.of("a hash (expected: the key; a hash is a secretHash)");
    }
    if (!TOKEN.matcher(key).matches()) {
      return Optional.of(
          "a placeholder, or a character that keys do not have (expected: A-Z a-z 0-9"
              + " - . _ ~ + / and = at the end; other keys are taken over by their hash)");
    }
    if (NAME.matcher(key).matches() || key.chars().distinct().count() < FEWEST_CHARACTERS) {
      return Optional.of("a placeholder (expected: the key itself, or its hash)");
    }
    if (!isNamed && !KeyText.isOpaque(key)) {
      return Optional.of(text.isPresent() ? "of another id" : "one of Weir with a wrong checksum");
    }
    return Optional.empty();
  }
}
