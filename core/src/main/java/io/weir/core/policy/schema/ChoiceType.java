package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Flag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** One of some words, in their order. The word off may also be YAML 1.1's false. */
record ChoiceType<T>(Map<String, T> words) implements FieldType<T> {
  private static final String OFF = "off";

  @Override
  public Optional<T> read(DocumentValue value, At at) {
    boolean isOff = value instanceof Flag flag && !flag.value() && words.containsKey(OFF);
    Optional<T> chosen = (isOff ? Optional.of(OFF) : ParsedType.text(value)).map(words::get);
    if (chosen.isEmpty()) {
      at.invalid(value, expected());
    }
    return chosen;
  }

  @Override
  public String expected() {
    return "one of " + String.join(", ", words.keySet());
  }

  @Override
  public String bounds() {
    return words.keySet().stream().map("`%s`"::formatted).collect(Collectors.joining(", "));
  }

  @Override
  public Object written(T value) {
    return words.entrySet().stream()
        .filter(word -> word.getValue().equals(value))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    List<Object> all = new ArrayList<>(words.keySet());
    if (words.containsKey(OFF)) {
      all.add(false);
    }
    return JsonSchema.of("enum", all);
  }
}
