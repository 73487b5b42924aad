package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Mapping;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** All fields of a kind of section. Immutable. */
public final class Table {
  private final String name;
  private final Map<String, Field<?>> fields;
  private final Optional<Variant> variant;

  private Table(String name, Map<String, Field<?>> fields, Optional<Variant> variant) {
    this.name = name;
    this.fields = fields;
    this.variant = variant;
  }

  /**
   * A table of these fields.
   *
   * @param name one word for a section; unique
   * @throws IllegalStateException if two fields have the same name
   */
  public static Table of(String name, Field<?>... fields) {
    return new Table(name, Map.of(), Optional.empty()).with(List.of(fields));
  }

  /** The table with more fields. */
  public Table with(List<? extends Field<?>> more) {
    Map<String, Field<?>> all = new LinkedHashMap<>(fields);
    for (Field<?> field : more) {
      if (all.put(field.name(), field) != null) {
        throw new IllegalStateException(
            "two fields of the section '%s' with the name: %s".formatted(name, field.name()));
      }
    }
    return new Table(name, all, variant);
  }

  /** The table, which another one replaces in sections that contain a field. */
  public Table unlessHas(Field<?> field, Table other) {
    return new Table(name, fields, Optional.of(new Variant(field.name(), other)));
  }

  /** The table of one section. */
  Table of(Mapping mapping) {
    return variant
        .filter(other -> mapping.has(other.field()))
        .map(Variant::table)
        .orElse(this);
  }

  String name() {
    return name;
  }

  String plural() {
    return name + "s";
  }

  List<Field<?>> fields() {
    return new ArrayList<>(fields.values());
  }

  Optional<Variant> variant() {
    return variant;
  }

  boolean names(String field) {
    return fields.containsKey(field);
  }

  /** Whether the field is one of the table, or a form of one. */
  boolean has(Field<?> field) {
    Field<?> own = fields.get(field.name());
    return own == field
        || (own != null
            && own.type() instanceof OneOfType several
            && several.forms().contains(field));
  }

  /** The names of the fields in alphabetical order, for messages. */
  String expected() {
    return fields.keySet().stream().sorted().collect(Collectors.joining(", "));
  }

  /** The table of sections that contain a field. */
  record Variant(String field, Table table) {}
}
