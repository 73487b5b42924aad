package io.weir.core.policy.schema;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Words with a meaning, in their order. */
public final class Words {
  private Words() {}

  /** Two words, the usual one first. */
  public static <T> Map<String, T> of(String one, T first, String other, T second) {
    Map<String, T> words = new LinkedHashMap<>();
    words.put(one, first);
    words.put(other, second);
    return Collections.unmodifiableMap(words);
  }

  /** Three words, the usual one first. */
  public static <T> Map<String, T> of(
      String one, T first, String other, T second, String last, T third) {
    Map<String, T> words = new LinkedHashMap<>(of(one, first, other, second));
    words.put(last, third);
    return Collections.unmodifiableMap(words);
  }
}
