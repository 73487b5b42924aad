package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables and texts of a terminal with 80 columns. */
final class TableTest {
  private record Row(String who, String id, long count, String why) {}

  private static final Table<Row> TABLE = Table.<Row>of()
      .text("who", Row::who)
      .whole("id", Row::id)
      .number("count", Row::count)
      .sentence("why", Row::why);

  private static List<String> printed(Row... rows) {
    StringWriter out = new StringWriter();
    TABLE.print(List.of(rows), new PrintWriter(out, true));
    return out.toString().lines().toList();
  }

  @Test
  void columnsAreAsWideAsTheirCells() {
    assertThat(printed(new Row("acme/k1", "a", 7, "full"), new Row("b", "abc", 1234, "")))
        .containsExactly(
            "who      id   count  why", "acme/k1  a        7  full", "b        abc   1234");
  }

  @Test
  void withoutRowsNothingIsPrinted() {
    assertThat(printed()).isEmpty();
  }

  @Test
  void aLongTextIsCutAndASentenceGoesOnBelow() {
    List<String> lines =
        printed(new Row("w".repeat(60), "i".repeat(20), 7, "one word after the other ".repeat(4)));
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    assertThat(lines.get(1)).matches("w+…  i{20}      7  one word .*");
    assertThat(lines.get(2)).matches(" +one word .*|.* +after .*");
    assertThat(String.join(" ", lines).replaceAll("\\s+", " "))
        .contains("other one word after the other one");
  }

  @Test
  void whatMustStayWholeStaysSo() {
    assertThat(printed(new Row("w", "i".repeat(90), 7, "x")).get(1)).contains("i".repeat(90));
  }

  @Test
  void charactersOfTwoUnitsAreCutWhole() {
    assertThat(printed(new Row("😀".repeat(90), "i", 7, "x")).get(1)).matches("(😀)+…  i .*");
  }

  @Test
  void furtherLinesOfASentenceAreIndented() {
    assertThat(Wrapped.lines("short\n  short\n")).isEqualToNormalizingNewlines("short\n  short\n");
    String words = "  " + "word ".repeat(30) + "\n";
    assertThat(Wrapped.lines(words))
        .isEqualToNormalizingNewlines(
            "  " + "word ".repeat(14) + "word\n    " + "word ".repeat(14) + "word\n");
    assertThat(Wrapped.lines("😀".repeat(90)))
        .isEqualToNormalizingNewlines("😀".repeat(78) + "\n  " + "😀".repeat(12));
    assertThat(Wrapped.lines(" ".repeat(200) + "x").lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Table.WIDTH));
  }

  @Test
  void aTextIsBrokenBetweenWordsAndALongWordWithin() {
    assertThat(Wrapped.text("one two three", 7)).isEqualTo("one two\nthree");
    assertThat(Wrapped.text("one 123456789 x", 4)).isEqualTo("one\n1234\n5678\n9 x");
    assertThat(Wrapped.text("", 4)).isEmpty();
    assertThat(Wrapped.named("", 0, "text")).isEqualTo("text");
    assertThat(Wrapped.named("name", 6, "a".repeat(70) + " bcdef"))
        .isEqualToNormalizingNewlines("name  " + "a".repeat(70) + "\n      bcdef");
  }
}
