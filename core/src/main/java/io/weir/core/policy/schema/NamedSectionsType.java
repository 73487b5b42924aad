package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Mappings by name; a wrong name is reported and left out. A name without a value has an empty mapping. */
record NamedSectionsType(Table table, String pattern, SizeBound limit)
    implements FieldType<Map<String, Section>> {
  @Override
  public Optional<Map<String, Section>> read(DocumentValue value, At at) {
    if (!(value instanceof Mapping mapping)) {
      at.invalid(value, "a mapping");
      return Optional.empty();
    }
    Map<String, Section> sections = new LinkedHashMap<>();
    Predicate<String> accepts = Pattern.compile(pattern).asMatchPredicate();
    mapping.entries().forEach((name, one) -> {
      if (accepts.test(name)) {
        section(one, at.field(name)).ifPresent(section -> sections.put(name, section));
      } else {
        // Not repeated: the name may be a whole key in the place of its id.
        at.error(
            "name_invalid",
            one.position(),
            "a name of another form (expected: %s)".formatted(pattern));
      }
    });
    limit.check(sections.size(), value.position(), at);
    return Optional.of(sections);
  }

  private Optional<Section> section(DocumentValue value, At at) {
    DocumentValue mapping =
        value instanceof Nothing ? new Mapping(value.position(), Map.of()) : value;
    return new SectionType(table).read(mapping, at);
  }

  @Override
  public String expected() {
    return "a mapping";
  }

  @Override
  public String bounds() {
    return limit.bounds();
  }

  @Override
  public Object written(Map<String, Section> value) {
    return "";
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    Map<String, Object> section = definitions.reference(table);
    boolean mayBeEmpty = table.fields().stream().noneMatch(Field::isRequired);
    Map<String, Object> value = mayBeEmpty ? JsonSchema.orNothing(section) : section;
    Map<String, Object> schema = JsonSchema.of(
        "type",
        "object",
        "propertyNames",
        JsonSchema.of("pattern", JsonSchema.anchored(pattern)),
        "additionalProperties",
        value);
    return limit.addTo(schema, "minProperties", "maxProperties");
  }
}
