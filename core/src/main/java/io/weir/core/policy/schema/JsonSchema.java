package io.weir.core.policy.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The JSON Schema (draft 2020-12) of a document, as mappings, lists, texts, numbers, and true or false. */
public final class JsonSchema {
  // The form of texts for numbers that YAML does not distinguish from them: the type, and a sample.
  private static final String[][] NUMERALS = {
    {"number", "1.5"}, {"integer", "1"}, {"integer", "404"}
  };
  // A link of Markdown leads nowhere outside of the documents.
  private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)\\]\\([^)]+\\)");

  private static final Map<String, Object> PRESENT = of("not", of("type", "null"));

  private JsonSchema() {}

  /** The schema of documents whose fields are those of a table. */
  public static Map<String, Object> document(String title, Table table) {
    Definitions definitions = new Definitions();
    Map<String, Object> schema =
        of("$schema", "https://json-schema.org/draft/2020-12/schema", "title", title);
    schema.putAll(definitions.schema(table));
    schema.put("$defs", definitions.all);
    return schema;
  }

  /** The fields of each kind of section of a document, by the name of its table; that of the document first. */
  public static Map<String, List<Field<?>>> tables(Table table) {
    Definitions definitions = new Definitions();
    Map<String, List<Field<?>>> tables = new LinkedHashMap<>();
    tables.put(table.name(), table.fields());
    definitions.schema(table);
    definitions.tables.forEach((name, other) -> tables.put(name, other.fields()));
    return tables;
  }

  static Map<String, Object> of(Object... keysAndValues) {
    Map<String, Object> schema = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      schema.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return schema;
  }

  /** A text; also a number whose digits have the form, which YAML does not distinguish. */
  static Map<String, Object> text(String pattern, Optional<Map<String, Object>> numerals) {
    Map<String, Object> text = of("type", "string", "pattern", anchored(pattern));
    if (numerals.isPresent()) {
      return of("anyOf", List.of(text, numerals.get()));
    }
    for (String[] sample : NUMERALS) {
      if (sample[1].matches(pattern)) {
        return of("anyOf", List.of(text, of("type", sample[0])));
      }
    }
    return text;
  }

  /** The same, or an empty value. */
  static Map<String, Object> orNothing(Map<String, Object> schema) {
    if (schema.get("type") instanceof String type) {
      Map<String, Object> nullable = new LinkedHashMap<>(schema);
      nullable.put("type", List.of(type, "null"));
      return nullable;
    }
    List<Object> forms = schema.get("anyOf") instanceof List<?> several
        ? new ArrayList<>(several)
        : new ArrayList<>(List.of(schema));
    forms.add(of("type", "null"));
    return of("anyOf", forms);
  }

  static String anchored(String pattern) {
    return "^(?:" + pattern + ")$";
  }

  /** The schemas of sections, by the names of their tables. Mutable; owned by one generation. */
  static final class Definitions {
    private final Map<String, Object> all = new LinkedHashMap<>();
    private final Map<String, Table> tables = new LinkedHashMap<>();

    Map<String, Object> reference(Table table) {
      Table before = tables.putIfAbsent(table.name(), table);
      if (before == null) {
        all.put(table.name(), Map.of()); // keeps its place
        all.put(table.name(), withVariant(table));
      } else if (before != table) {
        throw new IllegalStateException("two tables with the name: " + table.name());
      }
      return of("$ref", "#/$defs/" + table.name());
    }

    private Map<String, Object> withVariant(Table table) {
      return table
          .variant()
          .map(variant -> of(
              "if",
              of("properties", of(variant.field(), PRESENT), "required", List.of(variant.field())),
              "then",
              reference(variant.table()),
              "else",
              schema(table)))
          .orElseGet(() -> schema(table));
    }

    private Map<String, Object> schema(Table table) {
      Map<String, Object> properties = new LinkedHashMap<>();
      List<Object> required = new ArrayList<>();
      for (Field<?> field : table.fields()) {
        properties.put(field.name(), property(field));
        if (field.isRequired()) {
          required.add(field.name());
        }
      }
      Map<String, Object> schema = of("type", "object", "properties", properties);
      if (!required.isEmpty()) {
        schema.put("required", required);
      }
      schema.put("additionalProperties", false);
      return schema;
    }

    private Map<String, Object> property(Field<?> field) {
      Map<String, Object> property =
          of("description", LINK.matcher(field.meaning()).replaceAll("$1"));
      Map<String, Object> form = field.type().schema(this);
      property.putAll(field.isRequired() && !field.type().mayBeEmpty() ? form : orNothing(form));
      field
          .usualWritten()
          .filter(value -> !value.equals("") && !value.equals(List.of()))
          .ifPresent(value -> property.put("default", value));
      return property;
    }
  }
}
