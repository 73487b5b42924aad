package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A list of mappings; a wrong item is reported and left out. */
record SectionsType(Table table, SizeBound limit) implements FieldType<List<Section>> {
  @Override
  public Optional<List<Section>> read(DocumentValue value, At at) {
    if (!(value instanceof Sequence sequence)) {
      at.invalid(value, "a list");
      return Optional.empty();
    }
    List<Section> sections = new ArrayList<>();
    SectionType item = new SectionType(table);
    for (int i = 0; i < sequence.items().size(); i++) {
      item.read(sequence.items().get(i), at.item(i)).ifPresent(sections::add);
    }
    limit.check(sections.size(), value.position(), at);
    return Optional.of(sections);
  }

  @Override
  public boolean mayBeEmpty() {
    return true;
  }

  @Override
  public String expected() {
    return "a list of " + table.plural();
  }

  @Override
  public String bounds() {
    return limit.bounds();
  }

  @Override
  public Object written(List<Section> value) {
    return "";
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return limit.addTo(
        JsonSchema.of("type", "array", "items", definitions.reference(table)),
        "minItems",
        "maxItems");
  }
}
