package io.weir.core.policy.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.schema.DocumentValue.Numeral;
import io.weir.core.policy.schema.FractionType.Unit;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The one rule for fractions and factors. */
final class FractionTypeTest {

  @ParameterizedTest
  @CsvSource({
    "PER_CENT, 0, 100, 20, 20",
    "PER_CENT, 0, 100, 0.2, 20",
    "PER_CENT, 0, 100, .2, 20",
    "PER_CENT, 0, 100, 0.20, 20",
    "PER_CENT, 0, 100, 2e-1, 20",
    "PER_CENT, 0, 100, 20.0, 20",
    "PER_CENT, 0, 100, 2e1, 20",
    "PER_CENT, 0, 100, 0, 0",
    "PER_CENT, 0, 100, 0.0, 0",
    "PER_CENT, 0, 100, 1, 1",
    "PER_CENT, 0, 100, 0.01, 1",
    "PER_CENT, 0, 100, 0.99, 99",
    "PER_CENT, 0, 100, 100, 100",
    "THOUSANDTHS, 0, 1000, 200, 200",
    "THOUSANDTHS, 0, 1000, 0.2, 200",
    "THOUSANDTHS, 0, 1000, 0.001, 1",
    "THOUSANDTHS, 1000, 10000, 1500, 1500",
    "THOUSANDTHS, 1000, 10000, 1.5, 1500",
    "THOUSANDTHS, 1000, 10000, 1, 1000",
    "THOUSANDTHS, 1000, 10000, 1.0, 1000",
    "THOUSANDTHS, 1000, 10000, 10, 10000",
    "THOUSANDTHS, 1000, 1000000000, 5000, 5000",
    "THOUSANDTHS, 1000, 1000000000, 5, 5000",
    "HUNDREDTHS_OF_A_PER_CENT, 0, 10000, 9000, 9000",
    "HUNDREDTHS_OF_A_PER_CENT, 0, 10000, 0.9, 9000",
    "HUNDREDTHS_OF_A_PER_CENT, 0, 10000, 0.9999, 9999"
  })
  void aWholeNumberIsInTheUnitAndAnyOtherIsTheFraction(
      Unit unit, long min, long max, String written, long expected) {
    FractionType type = new FractionType(unit, min, max);
    assertThat(read(type, written).value()).contains(expected);
    assertThat(type.parse(String.valueOf(expected))).as("the old form").contains(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PER_CENT | 1 | 100 | 1.0 | 1.0 (expected: 1 or 100, whichever is meant, in per cent)",
        "PER_CENT | 1 | 99 | 1.00 | 1.00 (expected: 1 or 100, whichever is meant, in per cent)",
        "THOUSANDTHS | 0 | 1000 | 1e0 | 1e0 (expected: 1 or 1000, whichever is meant, in thousandths)",
        "THOUSANDTHS | 1000 | 1000000000 | 1500.0 | 1500.0 (expected: 1500 or 1500000, whichever is meant, in thousandths)"
      })
  void aWholeNumberThatMightBeBothIsRefused(
      Unit unit, long min, long max, String written, String message) {
    Read read = read(new FractionType(unit, min, max), written);
    assertThat(read.value()).isEmpty();
    assertThat(read.message()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource({"-0.2", "0.125", "12.5", "101", "1.01", "0.001", ".inf", "1e999999999", "1e-999999999"
  })
  void anyOtherNumberIsRefusedWithUnitAndBounds(String written) {
    Read read = read(new FractionType(Unit.PER_CENT, 0, 100), written);
    assertThat(read.value()).isEmpty();
    assertThat(read.message())
        .contains(
            "a whole number of per cent from 0 to 100, or a decimal number from 0.01 to 0.99 in steps of 0.01");
  }

  @Test
  void theReferenceHasTheUnitAndBothBounds() {
    assertThat(new FractionType(Unit.PER_CENT, 1, 99).bounds())
        .isEqualTo("1 to 99 per cent, or 0.01 to 0.99");
    assertThat(new FractionType(Unit.THOUSANDTHS, 1000, 10_000).bounds())
        .isEqualTo("1000 to 10000 thousandths, or 1 to 10");
  }

  @Test
  void aNumberInATextHasDigitsAndAPointAlone() {
    FractionType type = new FractionType(Unit.PER_CENT, 1, 100);
    assertThat(type.parseText("0.8")).contains(80L);
    assertThat(type.parseText("80")).contains(80L);
    for (String text : new String[] {"", "8e1", "+8", " 8", "0x8", "1.0", "0.8%"}) {
      assertThat(type.parseText(text)).as(text).isEmpty();
    }
  }

  private record Read(Optional<Long> value, String message) {}

  private static Read read(FractionType type, String digits) {
    Problems problems = new Problems("policy");
    Optional<Long> value =
        type.read(new Numeral(Position.START, digits), new At("field", problems));
    return new Read(
        value, problems.all().stream().map(Problem::message).findFirst().orElse(""));
  }
}
