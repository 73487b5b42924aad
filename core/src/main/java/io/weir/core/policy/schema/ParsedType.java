package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Numeral;
import io.weir.core.policy.schema.DocumentValue.Text;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * A text that means something.
 *
 * @param parse empty for a text of another form
 * @param pattern of all accepted texts, and maybe of some more
 * @param isSecret whether messages may not repeat it
 * @param numerals the form of accepted texts that are numbers, for the schema; if empty, these have no bounds
 */
record ParsedType<T>(
    Function<String, Optional<T>> parse,
    String pattern,
    String expected,
    boolean isSecret,
    Optional<FieldType<Long>> numerals)
    implements FieldType<T> {

  ParsedType(
      Function<String, Optional<T>> parse, String pattern, String expected, boolean isSecret) {
    this(parse, pattern, expected, isSecret, Optional.empty());
  }

  static ParsedType<String> of(Pattern pattern, String expected) {
    return new ParsedType<>(
        text -> Optional.of(text).filter(pattern.asMatchPredicate()),
        pattern.pattern(),
        expected,
        false);
  }

  // A plain scalar such as 404 is a valid name; YAML alone would make a number of it.
  static Optional<String> text(DocumentValue value) {
    if (value instanceof Text text) {
      return Optional.of(text.value());
    }
    return value instanceof Numeral number ? Optional.of(number.digits()) : Optional.empty();
  }

  @Override
  public Optional<T> read(DocumentValue value, At at) {
    Optional<T> read = text(value).flatMap(parse);
    if (read.isEmpty() && isSecret) {
      at.error(
          "value_invalid", value.position(), "something else (expected: %s)".formatted(expected));
    } else if (read.isEmpty()) {
      at.invalid(value, expected);
    }
    return read;
  }

  @Override
  public Object written(T value) {
    return value.toString();
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return JsonSchema.text(pattern, numerals.map(type -> type.schema(definitions)));
  }
}
