package io.weir.core.policy.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A field with several forms. The reader of its section chooses the form and reads that one. */
record OneOfType(List<Field<?>> forms) implements FieldType<Object> {
  @Override
  public Optional<Object> read(DocumentValue value, At at) {
    throw new IllegalStateException(at.path() + ": its forms are read instead");
  }

  @Override
  public String expected() {
    return forms.stream().map(form -> form.type().expected()).collect(Collectors.joining(", or "));
  }

  @Override
  public String bounds() {
    return forms.stream()
        .map(form -> form.type().bounds())
        .filter(bounds -> !bounds.isEmpty())
        .collect(Collectors.joining(", or "));
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return JsonSchema.of(
        "anyOf", forms.stream().map(form -> form.type().schema(definitions)).toList());
  }
}
