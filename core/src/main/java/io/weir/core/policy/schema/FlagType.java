package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Flag;
import java.util.Map;
import java.util.Optional;

/** True or false. */
record FlagType() implements FieldType<Boolean> {
  @Override
  public Optional<Boolean> read(DocumentValue value, At at) {
    if (value instanceof Flag flag) {
      return Optional.of(flag.value());
    }
    at.invalid(value, expected());
    return Optional.empty();
  }

  @Override
  public String expected() {
    return "true or false";
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return JsonSchema.of("type", "boolean");
  }
}
