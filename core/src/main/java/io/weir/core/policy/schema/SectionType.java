package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Mapping;
import java.util.Map;
import java.util.Optional;

/** A mapping with the fields of a table. */
record SectionType(Table table) implements FieldType<Section> {
  @Override
  public Optional<Section> read(DocumentValue value, At at) {
    if (value instanceof Mapping mapping) {
      return Optional.of(Section.of(mapping, at, table));
    }
    at.invalid(value, expected());
    return Optional.empty();
  }

  @Override
  public String expected() {
    return "a mapping";
  }

  @Override
  public Object written(Section value) {
    return "";
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return definitions.reference(table);
  }
}
