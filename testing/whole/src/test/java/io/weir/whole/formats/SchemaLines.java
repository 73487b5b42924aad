package io.weir.whole.formats;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A JSON Schema as lines, one for each field, type and value. A promise to its users is a line, so that a break is a line
 * less: a field of a request that may be left out, a field of an answer that is always there. Mutable.
 *
 * @param document to which references point
 * @param isRequest whether callers write such documents
 */
public record SchemaLines(JsonObject document, boolean isRequest, SortedSet<String> lines) {
  /** Without lines. */
  public static SchemaLines of(JsonObject document, boolean isRequest) {
    return new SchemaLines(document, isRequest, new TreeSet<>());
  }

  /** Adds the lines of a schema, behind a prefix. */
  public SchemaLines add(String prefix, JsonObject schema) {
    walk(prefix, schema, new ArrayDeque<>());
    return this;
  }

  private void walk(String prefix, JsonObject schema, Deque<String> open) {
    String reference = schema.getString("$ref");
    if (reference != null) {
      if (!open.contains(reference)) {
        open.push(reference);
        walk(prefix, target(reference), open);
        open.pop();
      }
      return;
    }
    types(prefix, schema.getValue("type"));
    values(prefix, schema);
    properties(prefix, schema, open);
    within(prefix + "[]", schema.getValue("items"), open);
    within(prefix + ".*", schema.getValue("additionalProperties"), open);
    for (String choice : new String[] {"anyOf", "oneOf", "allOf"}) {
      schema.getJsonArray(choice, new JsonArray()).forEach(one -> within(prefix, one, open));
    }
  }

  private JsonObject target(String reference) {
    JsonObject at = document;
    for (String part : reference.substring(2).split("/", -1)) {
      at = at.getJsonObject(part);
    }
    return at;
  }

  private void types(String prefix, Object type) {
    if (type instanceof JsonArray all) {
      all.forEach(one -> types(prefix, one));
    } else if (type != null) {
      lines.add(prefix + ": " + type);
    }
  }

  private void values(String prefix, JsonObject schema) {
    schema.getJsonArray("enum", new JsonArray()).forEach(one -> lines.add(prefix + " = " + one));
    if (schema.containsKey("const")) {
      lines.add(prefix + " = " + schema.getValue("const"));
    }
  }

  private void properties(String prefix, JsonObject schema, Deque<String> open) {
    JsonObject properties = schema.getJsonObject("properties", new JsonObject());
    JsonArray required = schema.getJsonArray("required", new JsonArray());
    for (String field : properties.fieldNames()) {
      String name = prefix + "." + field;
      if (required.contains(field) != isRequest) {
        lines.add(name + (isRequest ? " may be left out" : " is always there"));
      }
      within(name, properties.getValue(field), open);
    }
  }

  private void within(String prefix, Object schema, Deque<String> open) {
    if (schema instanceof JsonObject object) {
      walk(prefix, object, open);
    }
  }
}
