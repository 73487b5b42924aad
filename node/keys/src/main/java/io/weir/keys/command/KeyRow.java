package io.weir.keys.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.SecretHash;
import io.weir.keys.record.KeyText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * One key of an import.
 *
 * @param line where it stands in its file
 * @param last the last one of its lines
 * @param json as the admin port reads it
 * @param problems why it is refused here; such a row is not sent
 */
record KeyRow(long line, long last, JsonObject json, List<String> problems) {
  private static final int MOST_SHOWN = 64;

  KeyRow {
    problems = List.copyOf(problems);
  }

  /** A row that cannot be read. */
  static KeyRow refused(RowReader.Row row, String problem) {
    return new KeyRow(row.line(), row.last(), new JsonObject(), List.of(problem));
  }

  /**
   * The same with a key in clear replaced by its hash: a secret does not leave this program. What stands in place of a
   * key and is none refuses the row.
   */
  KeyRow hashed() {
    JsonObject without = json.copy();
    List<String> all = new ArrayList<>(problems);
    if (without.containsKey("key")) {
      addSecret(without, without.remove("key"), "key", all);
    }
    return new KeyRow(line, last, without, all);
  }

  /**
   * Adds a key in clear: by its secret if it names the id, by its whole text if not.
   *
   * @param key what stands in its place
   * @param field where it stands
   */
  static void addSecret(
      JsonObject json, @Nullable Object key, String field, List<String> problems) {
    if (!(key instanceof String clear)) {
      problems.add("%s: %s (expected: a text)".formatted(field, kind(key)));
      return;
    }
    Optional<String> id = Optional.ofNullable(json.getValue("id")).map(String::valueOf);
    Optional<String> problem = ClearKey.problem(clear, id);
    if (problem.isPresent()) {
      problems.add(field + ": " + problem.get());
      return;
    }
    Optional<KeyText> text = KeyText.parse(clear);
    if (text.isPresent() && id.isEmpty()) {
      json.put("id", text.get().id());
    }
    boolean isNamed = text.filter(it -> it.id().equals(json.getValue("id"))).isPresent();
    JsonObject secret = new JsonObject()
        .put(
            "hash", SecretHash.of(isNamed ? text.orElseThrow().secret() : clear).formatted());
    if (!isNamed) {
      secret.put("whole", true);
    }
    if (json.getValue("secrets") instanceof JsonArray secrets) {
      secrets.add(secret);
    } else if (json.getValue("secrets") == null) {
      json.put("secrets", new JsonArray().add(secret));
    } else {
      problems.add("secrets: (expected: a list)");
    }
  }

  private static String kind(@Nullable Object value) {
    return value == null ? "nothing" : value instanceof Number ? "a number" : "no text";
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

  /** Its place, and its id if it has one, for messages. */
  String place() {
    String lines = line == last ? "line " + line : "lines %d to %d".formatted(line, last);
    Object id = json.getValue("id");
    if (id == null) {
      return lines;
    }
    String shown = id.toString();
    return lines
        + ", "
        + (shown.length() <= MOST_SHOWN ? shown : shown.substring(0, MOST_SHOWN) + "…");
  }
}
