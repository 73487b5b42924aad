package io.weir.keys.record;

import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.SecretHash;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A token of an operator, as it is stored: its text is {@code weir_<name>.<secret>}, as that of a key.
 *
 * @param endsMillis the moment from which it is no longer valid, by Redis's clock
 */
public record TokenEntry(
    String name,
    Scope scope,
    Optional<String> tenant,
    SecretHash hash,
    OptionalLong endsMillis,
    Stamp created) {
  private static final String TEXT = "text";

  /** A new token, and its text. */
  public record Made(TokenEntry entry, String text) {}

  /** Makes a token. */
  public static Made make(
      String name,
      Scope scope,
      Optional<String> tenant,
      OptionalLong endsMillis,
      Stamp created,
      SecureRandom random) {
    KeyText text = KeyText.make(name, random);
    return new Made(
        new TokenEntry(name, scope, tenant, SecretHash.of(text.text()), endsMillis, created),
        text.text());
  }

  /** The name of the token with this text. */
  public static Optional<String> nameIn(String shown) {
    return KeyText.parse(shown).map(KeyText::id);
  }

  /** Whether this is its text; takes the same time for any. */
  public boolean isOpenedBy(String shown) {
    return hash.matches(shown);
  }

  /** Whether it has not ended by this moment. */
  public boolean isValidAt(long nowMillis) {
    return endsMillis.isEmpty() || nowMillis < endsMillis.getAsLong();
  }

  /** The operator that presents it. */
  public Operator operator() {
    return new Operator(name, scope, tenant);
  }

  /** The fields in Redis, name by value, without the version. */
  public List<String> toFields() {
    return List.of(TEXT, text());
  }

  /** Reads those; empty if there are none, or someone else has written them. */
  public static Optional<TokenEntry> of(String name, Map<String, String> fields) {
    return Optional.ofNullable(fields.get(TEXT)).flatMap(text -> parse(name, text));
  }

  private String text() {
    return "%s %s %s %s %s"
        .formatted(
            scope.name().toLowerCase(Locale.ROOT),
            tenant.orElse("*"),
            hash.compact(),
            endsMillis.isPresent() ? Long.toString(endsMillis.getAsLong()) : "-",
            created.text());
  }

  private static Optional<TokenEntry> parse(String name, String text) {
    try {
      String[] words = text.split(" ", 5);
      return Optional.of(new TokenEntry(
          name,
          Scope.valueOf(words[0].toUpperCase(Locale.ROOT)),
          Optional.of(words[1]).filter(Names::isId),
          SecretHash.ofCompact(words[2]),
          words[3].equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(words[3])),
          Stamp.parse(words[4])));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** For operators: never its hash. */
  public JsonObject toJson() {
    JsonObject json =
        new JsonObject().put("name", name).put("scope", scope.name().toLowerCase(Locale.ROOT));
    tenant.ifPresent(owner -> json.put("tenant", owner));
    endsMillis.ifPresent(at -> json.put("expires", Instant.ofEpochMilli(at).toString()));
    return json.put(
        "created",
        new JsonObject()
            .put("at", Instant.ofEpochMilli(created.atMillis()).toString())
            .put("by", created.by()));
  }
}
