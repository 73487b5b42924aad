package io.weir.core.policy.schema;

import io.weir.core.policy.schema.DocumentValue.Numeral;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A fraction such as 0.2, or a factor such as 1.5; the value is in a unit, such as per cent.
 *
 * <p>The rule, for all fields of this kind: a whole number within the bounds is in the unit, so that 20 is a fifth and 1
 * is 1 per cent. Any other number is the fraction itself: 0.2 is a fifth. A whole number that is not written with digits
 * alone, and might be both, is refused: 1.0 may be 1 per cent or the whole.
 */
public record FractionType(Unit unit, long min, long max) implements FieldType<Long> {
  /** The form of numbers inside of texts. */
  public static final String FORM = "\\d{1,10}(?:\\.\\d{0,9})?";

  private static final Pattern TEXT = Pattern.compile(FORM);
  private static final Pattern DIGITS = Pattern.compile("\\d+");

  /** A unit of fractions. */
  public enum Unit {
    PER_CENT("per cent", 100),
    THOUSANDTHS("thousandths", 1000),
    HUNDREDTHS_OF_A_PER_CENT("hundredths of a per cent", 10_000);

    private final String words;
    private final long whole;

    Unit(String words, long whole) {
      this.words = words;
      this.whole = whole;
    }
  }

  @Override
  public Optional<Long> read(DocumentValue value, At at) {
    Optional<String> digits =
        value instanceof Numeral numeral ? Optional.of(numeral.digits()) : Optional.empty();
    Optional<Long> read = digits.flatMap(this::parse);
    if (read.isEmpty()) {
      at.invalid(
          value, digits.filter(this::isAmbiguous).map(this::bothOf).orElseGet(this::expected));
    }
    return read;
  }

  /** The number in the unit; empty if it is out of bounds or ambiguous. */
  Optional<Long> parse(String number) {
    return isAmbiguous(number)
        ? Optional.empty()
        : inUnit(number).or(() -> ofWhole(number).filter(this::isWithin));
  }

  /** The same for a number inside of a text, or in a list. */
  public Optional<Long> parseText(String text) {
    return Optional.of(text).filter(TEXT.asMatchPredicate()).flatMap(this::parse);
  }

  private boolean isAmbiguous(String number) {
    long most = Math.max(max, unit.whole);
    return !DIGITS.matcher(number).matches()
        && inUnit(number).filter(value -> value != 0).isPresent()
        && ofWhole(number).filter(value -> value <= most).isPresent();
  }

  private Optional<Long> inUnit(String number) {
    return WholeNumberType.decimal(number).flatMap(WholeNumberType::exact).filter(this::isWithin);
  }

  private Optional<Long> ofWhole(String number) {
    return WholeNumberType.decimal(number)
        .map(value -> value.multiply(BigDecimal.valueOf(unit.whole)))
        .flatMap(WholeNumberType::exact);
  }

  private boolean isWithin(long value) {
    return value >= min && value <= max;
  }

  private String bothOf(String number) {
    return "%d or %d, whichever is meant, in %s"
        .formatted(inUnit(number).orElseThrow(), ofWhole(number).orElseThrow(), unit.words);
  }

  @Override
  public String expected() {
    return "a whole number of %s from %d to %d, or a decimal number from %s to %s in steps of %s"
        .formatted(unit.words, min, max, least(), most(), decimal(1));
  }

  @Override
  public String bounds() {
    return "%d to %d %s, or %s to %s".formatted(min, max, unit.words, least(), most());
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return JsonSchema.of(
        "anyOf",
        List.of(
            JsonSchema.of("type", "integer", "minimum", min, "maximum", max),
            JsonSchema.of("type", "number", "minimum", least(), "maximum", most())));
  }

  // A fraction of 0 is the number 0, and the whole is written in the unit.
  private BigDecimal least() {
    return decimal(Math.max(1, min));
  }

  private BigDecimal most() {
    return decimal(min < unit.whole ? Math.min(max, unit.whole - 1) : max);
  }

  private BigDecimal decimal(long value) {
    return BigDecimal.valueOf(value).divide(BigDecimal.valueOf(unit.whole));
  }
}
