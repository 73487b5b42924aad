package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RowsTest {
  private static String printed(Map<String, String> fields) {
    StringWriter out = new StringWriter();
    Rows.print(fields, new PrintWriter(out, true));
    return out.toString().replace(System.lineSeparator(), "\n");
  }

  private static Map<String, String> fields(String name, String value) {
    Map<String, String> fields = new LinkedHashMap<>(Map.of(name, value));
    fields.put("other", "text");
    return fields;
  }

  @Test
  void valuesAreBesideTheirNames() {
    String name = "n".repeat(40);
    assertThat(printed(fields(name, "one " + "a".repeat(38))))
        .isEqualTo("%s  one\n%s%s\n%s%s\n"
            .formatted(name, " ".repeat(42), "a".repeat(38), "other", " ".repeat(37) + "text"));
  }

  @Test
  void belowALongNameAreAllValues() {
    String name = "n".repeat(41);
    assertThat(printed(fields(name, "a".repeat(77))))
        .isEqualTo("%s\n    %s\n    a\nother\n    text\n".formatted(name, "a".repeat(76)));
  }

  @Test
  void aNameFitsALineToo() {
    assertThat(printed(fields("n".repeat(200), "a")).lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Table.WIDTH));
  }
}
