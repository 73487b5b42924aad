package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Numeral;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * A whole number.
 *
 * @param hint is added to the expectation
 */
record WholeNumberType(long min, long max, String hint) implements FieldType<Long> {
  // The longest number that is parsed; a longer one is out of every range.
  private static final int MAX_DIGITS = 40;
  private static final int MAX_LONG_DIGITS = 19;

  @Override
  public Optional<Long> read(DocumentValue value, At at) {
    Optional<Long> number = whole(value).filter(n -> n >= min && n <= max);
    if (number.isEmpty()) {
      at.invalid(value, expected() + hint);
    }
    return number;
  }

  @Override
  public String expected() {
    return "a whole number from %d to %d".formatted(min, max);
  }

  @Override
  public String bounds() {
    return "%d to %d".formatted(min, max);
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return JsonSchema.of("type", "integer", "minimum", min, "maximum", max);
  }

  private static Optional<Long> whole(DocumentValue document) {
    return document instanceof Numeral number
        ? decimal(number.digits()).flatMap(WholeNumberType::exact)
        : Optional.empty();
  }

  /** The number; empty if it is very long, or of a notation of YAML's own such as .inf. */
  static Optional<BigDecimal> decimal(String digits) {
    try {
      return digits.length() > MAX_DIGITS ? Optional.empty() : Optional.of(new BigDecimal(digits));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The whole number; empty for a fraction, and for one that a long cannot have. */
  static Optional<Long> exact(BigDecimal value) {
    try {
      // Before it is expanded: 1e999999999 would fill the memory.
      boolean small = value.precision() - (long) value.scale() <= MAX_LONG_DIGITS;
      return small ? Optional.of(value.longValueExact()) : Optional.empty();
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }
}
