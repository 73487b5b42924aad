package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Sequence;
import io.weir.core.policy.schema.Section.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A list of texts. Duplicates are kept; a wrong item is reported and left out. */
record TextsType(ParsedType<String> item, SizeBound limit) implements FieldType<List<Item>> {
  @Override
  public Optional<List<Item>> read(DocumentValue value, At at) {
    if (!(value instanceof Sequence sequence)) {
      at.invalid(value, "a list");
      return Optional.empty();
    }
    List<Item> texts = new ArrayList<>();
    for (int i = 0; i < sequence.items().size(); i++) {
      DocumentValue one = sequence.items().get(i);
      At place = at.item(i);
      item.read(one, place)
          .map(text -> new Item(text, one.position(), place.path()))
          .ifPresent(texts::add);
    }
    limit.check(texts.size(), value.position(), at);
    return Optional.of(texts);
  }

  @Override
  public String expected() {
    return "a list of texts";
  }

  @Override
  public String bounds() {
    return limit.bounds();
  }

  @Override
  public Object written(List<Item> value) {
    return value.stream().map(Item::text).toList();
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return limit.addTo(
        JsonSchema.of("type", "array", "items", item.schema(definitions)), "minItems", "maxItems");
  }
}
