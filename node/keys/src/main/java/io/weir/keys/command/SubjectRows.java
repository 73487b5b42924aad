package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Flag;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import java.util.ArrayList;
import java.util.List;

/** Reads the subjects of a policy. Its rules stay where they are. */
final class SubjectRows {
  private SubjectRows() {}

  /**
   * All of them.
   *
   * @throws IllegalArgumentException if it is no policy with subjects
   */
  static List<KeyRow> read(Mapping policy) {
    DocumentValue subjects =
        policy.entries().getOrDefault("subjects", new Nothing(policy.position()));
    if (subjects instanceof Nothing) {
      throw new IllegalArgumentException(
          "no keys were found (expected: subjects of a policy, or a file of Kong with its _format_version)");
    }
    List<KeyRow> rows = new ArrayList<>();
    if (subjects instanceof Mapping byId) {
      byId.entries().forEach((id, one) -> rows.add(row(new JsonObject().put("id", id), one)));
    } else {
      Documents.items(policy, "subjects").stream()
          .filter(
              one -> !(one instanceof Mapping subject) || !subject.entries().containsKey("match"))
          .forEach(one -> rows.add(row(new JsonObject(), one)));
    }
    return rows;
  }

  private static KeyRow row(JsonObject json, DocumentValue one) {
    List<String> problems = new ArrayList<>();
    if (one instanceof Mapping subject) {
      subject.entries().forEach((name, value) -> put(json, name, value, problems));
    } else if (!(one instanceof Nothing)) {
      problems.add("(expected: a mapping)");
    }
    return new KeyRow(one.line(), one.line(), json, problems);
  }

  private static void put(
      JsonObject json, String name, DocumentValue value, List<String> problems) {
    switch (name) {
      case "secretHash" ->
        json.put(
            "secrets", new JsonArray().add(new JsonObject().put("hash", Documents.plain(value))));
      case "frozen" -> {
        if (value instanceof Flag flag) {
          json.put("state", flag.value() ? "frozen" : "active");
        } else {
          problems.add("frozen: (expected: true or false)");
        }
      }
      default -> json.put(name, Documents.plain(value));
    }
  }
}
