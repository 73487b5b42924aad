package io.weir.core.policy;

import io.weir.core.bucket.Scope;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The words for scopes in a policy. */
final class Scopes {
  static final Map<String, Scope> BY_WORD = byWord();

  private Scopes() {}

  static String wordOf(Scope scope) {
    return scope.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Scope> byWord() {
    Map<String, Scope> words = new LinkedHashMap<>();
    for (Scope scope : Scope.values()) {
      words.put(wordOf(scope), scope);
    }
    return words;
  }
}
