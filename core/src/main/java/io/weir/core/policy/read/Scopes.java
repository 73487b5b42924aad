package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.schema.Field;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The words for scopes in a policy. */
final class Scopes {
  static final Map<String, Scope> BY_WORD = byWord();

  static final Field<Scope> SCOPE = Field.choice(
      "scope",
      BY_WORD,
      "whose operations are counted together: per key, per tenant, or for all; default: `defaults.scope`");

  /** The scope of the limits that name none. */
  static final Field<Scope> DEFAULT =
      Field.choice("scope", BY_WORD, "scope of the limits that name none").or(Scope.KEY);

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
