package io.weir.cluster.local;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a list of demo keys such as {@code examples/keys.json}. */
final class DemoKeyList {
  private static final List<String> FIELDS = List.of("key", "operation", "method", "path");

  private DemoKeyList() {}

  /**
   * Reads the list.
   *
   * @throws IOException if it cannot be read or is none; the message has all problems
   */
  static JsonArray read(Path file) throws IOException {
    if (!(decoded(file) instanceof JsonArray list)) {
      throw new IOException(
          "%s: no list (expected: a list of objects with %s)".formatted(file, FIELDS));
    }
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      String place = "%s: entry %d: ".formatted(file, i + 1);
      if (list.getValue(i) instanceof JsonObject key) {
        problemsOf(key).forEach(problem -> problems.add(place + problem));
      } else {
        problems.add(place + "no object (expected: one with %s)".formatted(FIELDS));
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("\n", problems));
    }
    return list;
  }

  private static Object decoded(Path file) throws IOException {
    try {
      return Json.decodeValue(Files.readString(file));
    } catch (DecodeException e) {
      throw new IOException("%s: no JSON: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static List<String> problemsOf(JsonObject key) {
    List<String> problems = new ArrayList<>();
    for (String field : FIELDS) {
      if (!(key.getValue(field) instanceof String)) {
        problems.add("'%s' is no text (expected: a text)".formatted(field));
      }
    }
    if (key.getValue("key") instanceof String text && text.indexOf('.') < 1) {
      problems.add("'key' has no id (expected: id.secret)");
    }
    return problems;
  }
}
