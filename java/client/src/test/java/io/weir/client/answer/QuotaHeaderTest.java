package io.weir.client.answer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuotaHeaderTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"a\";r=0;t=7 | 7",
        "\"a\" ; t=7 ; r=0 | 7",
        "\"a\";r=0;t=7, \"b\";r=0;t=12 | 12",
        "\"a,;r=0;t=99\";r=5;t=7, \"b\\\";r=0;t=98\";r=0;t=12 | 12",
        "a;r=0;t=0 | 0",
        "a;r=00;t=7 | -1",
        "a;r=-3;t=7 | 7",
        "a;r=0 | -1",
        "a;r=0;t=1x | -1",
        "a;r=0;t=1234567890123456 | -1",
        "r=0;t=5 | -1",
        "\"a;r=0;t=7 | -1"
      })
  void theLastQuotaThatIsUsedUpCounts(String header, long seconds) {
    assertThat(QuotaHeader.seconds(header).orElse(-1)).isEqualTo(seconds);
  }

  /** A text that counts how often its characters are read. */
  private static final class Counting implements CharSequence {
    private final String text;
    private int looks;

    Counting(String text) {
      this.text = text;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      looks++;
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      looks += to - from;
      return text.substring(from, to);
    }

    @Override
    public String toString() {
      looks += text.length();
      return text;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"", "\\\"", "\"\\\"", ";", "; ", ",", " ", ";r=0 ", ";t=1", "\"a\";r=0;t=1,"})
  void eachCharacterIsLookedAtOnce(String part) {
    Counting header = new Counting(part.repeat(8000 / part.length()));
    QuotaHeader.seconds(header);
    assertThat(header.looks).isLessThanOrEqualTo(header.length());
  }

  @Test
  void anEmptyHeaderSaysNothing() {
    assertThat(QuotaHeader.seconds("")).isEmpty();
  }
}
