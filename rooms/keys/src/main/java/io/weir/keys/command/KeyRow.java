package io.weir.keys.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.SecretHash;
import io.weir.keys.record.KeyText;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * One key of an import.
 *
 * @param line where it stands in its file
 * @param json as the admin port reads it
 */
record KeyRow(long line, JsonObject json) {

  /** The same with a key in clear replaced by its hash: a secret does not leave this program. */
  static KeyRow of(long line, JsonObject given) {
    JsonObject json = given.copy();
    if (json.remove("key") instanceof String key) {
      addSecret(json, key);
    }
    return new KeyRow(line, json);
  }

  /** Adds a key in clear: by its secret if it names the id, by its whole text if not. */
  static void addSecret(JsonObject json, String key) {
    Optional<KeyText> text = KeyText.parse(key);
    if (text.isPresent() && json.getValue("id") == null) {
      json.put("id", text.get().id());
    }
    boolean isNamed = text.filter(it -> it.id().equals(json.getValue("id"))).isPresent();
    JsonObject secret = new JsonObject()
        .put("hash", SecretHash.of(isNamed ? text.orElseThrow().secret() : key).formatted());
    if (!isNamed) {
      secret.put("whole", true);
    }
    if (json.getValue("secrets") == null) {
      json.put("secrets", new JsonArray());
    }
    json.getJsonArray("secrets").add(secret);
  }

  /** A name from elsewhere as an id: other characters are replaced, and then a checksum keeps names apart. */
  static String id(String name) {
    if (Names.isId(name)) {
      return name;
    }
    CRC32 crc = new CRC32();
    crc.update(name.getBytes(UTF_8));
    String plain = name.replaceAll("[^A-Za-z0-9_-]", "_");
    return plain.substring(0, Math.min(50, plain.length())) + "-%08x".formatted(crc.getValue());
  }
}
