package io.weir.keys.record;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The state of a key or a tenant. */
public enum KeyState {
  /** It may be used. */
  ACTIVE,
  /** Its requests are refused: 403. */
  FROZEN,
  /** It is as good as unknown: 401. */
  DISABLED;

  /** The word for it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The state of a word. */
  public static Optional<KeyState> of(String word) {
    return Stream.of(values()).filter(state -> state.word().equals(word)).findFirst();
  }
}
