package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Flag;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import io.weir.core.policy.schema.DocumentValue.Sequence;
import io.weir.core.policy.schema.DocumentValue.Text;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One mapping of a document while it is read, with its place and the table of its fields. A wrong field is reported and
 * reads as absent, so that one reading finds all problems. Immutable but for the problems that it reports.
 */
public final class Section {
  private final Mapping mapping;
  private final At at;
  private final Table table;

  private Section(Mapping mapping, At at, Table table) {
    this.mapping = mapping;
    this.at = at;
    this.table = table;
  }

  /** The whole document; {@link #refuseUnknown()} is left to the caller. */
  public static Section root(DocumentValue document, Problems problems, Table table) {
    At at = new At("", problems);
    if (document instanceof Mapping mapping) {
      return new Section(mapping, at, table);
    }
    at.invalid(document, "a mapping");
    return new Section(new Mapping(document.position(), Map.of()), at, table);
  }

  /** A section; its unknown fields are reported. */
  static Section of(Mapping mapping, At at, Table table) {
    Section section = new Section(mapping, at, table.of(mapping));
    section.refuseUnknown();
    return section;
  }

  /** Reports every field that is not in the table. */
  public void refuseUnknown() {
    if (mapping.entries().keySet().stream().allMatch(table::names)) {
      return;
    }
    String message = "no such field (expected: %s)".formatted(table.expected());
    mapping.entries().forEach((field, value) -> {
      if (!table.names(field)) {
        at.field(field).error("field_unknown", value.position(), message);
      }
    });
  }

  /** The value of a field; empty if it is absent or wrong. */
  public <T> Optional<T> find(Field<T> field) {
    if (!table.has(field)) {
      throw new IllegalStateException("no field of " + table.name() + ": " + field.name());
    }
    Optional<DocumentValue> value = present(field.name());
    boolean isMissing = field.type().mayBeEmpty() ? !has(field.name()) : value.isEmpty();
    if (isMissing && field.isRequired()) {
      error(
          "field_missing",
          field.name(),
          "nothing (expected: %s)".formatted(field.type().expected()));
    }
    return value.flatMap(there -> field.type().read(there, at.field(field.name())));
  }

  /** The value of a field, or its default. */
  public <T> T get(Field<T> field) {
    return find(field).or(field::usual).orElseThrow();
  }

  /** The value of a number that fits into 32 bits, or its default. */
  public int count(Field<Long> field) {
    return Math.toIntExact(get(field));
  }

  /** The value of a duration in microseconds, or its default. */
  public long micros(Field<Long> field) {
    return get(field) * 1000;
  }

  /** The place in the document, such as buckets[0]. */
  public String path() {
    return at.path();
  }

  /** Whether the field is there, with or without a value. */
  public boolean has(String field) {
    return mapping.entries().containsKey(field);
  }

  /** Whether it has no other fields. */
  public boolean hasOnly(Set<String> fields) {
    return fields.containsAll(mapping.entries().keySet());
  }

  /** Whether the field is absent or has no value. */
  public boolean isAbsent(String field) {
    return present(field).isEmpty();
  }

  /** The items of a list, not interpreted; none if the field is something else. */
  public List<DocumentValue> items(String field) {
    return mapping.entries().get(field) instanceof Sequence list ? list.items() : List.of();
  }

  /** Whether the field is a list. */
  public boolean isList(String field) {
    return mapping.entries().get(field) instanceof Sequence;
  }

  public boolean isMapping(String field) {
    return mapping.entries().get(field) instanceof Mapping;
  }

  /** Whether the field is off: a text, or in YAML 1.1 a no. */
  public boolean isOff(String field) {
    DocumentValue value = present(field).orElse(null);
    return (value instanceof Text text && text.value().equals("off"))
        || (value instanceof Flag flag && !flag.value());
  }

  /** Reports a problem of a field. */
  public void error(String code, String field, String message) {
    at.field(field).error(code, placeOf(field), message);
  }

  /** Reports a problem of the section. */
  public void error(String code, String message) {
    at.error(code, mapping.position(), message);
  }

  /** Reports a field that is accepted though it may be a mistake. */
  public void warning(String code, String field, String message) {
    at.problems().warning(code, placeOf(field), at.field(field).path(), message);
  }

  /** Reports a section that is accepted though it may be a mistake. */
  public void warning(String code, String message) {
    at.problems().warning(code, mapping.position(), at.path(), message);
  }

  /** Reports a problem of an item of a list. */
  public void errorAt(String code, Item item, String message) {
    at.problems().error(code, item.position(), item.path(), message);
  }

  /** Reports an item of a list that is accepted though it may be a mistake. */
  public void warningAt(String code, Item item, String message) {
    at.problems().warning(code, item.position(), item.path(), message);
  }

  private Position placeOf(String field) {
    return mapping.entries().getOrDefault(field, mapping).position();
  }

  private Optional<DocumentValue> present(String field) {
    return Optional.ofNullable(mapping.entries().get(field))
        .filter(value -> !(value instanceof Nothing));
  }

  /** A text of a list, with its place in the document. */
  public record Item(String text, Position position, String path) {
    /** The distinct texts. */
    public static Set<String> texts(List<Item> items) {
      return items.stream().map(Item::text).collect(Collectors.toUnmodifiableSet());
    }
  }
}
