package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.read.PolicySchema;
import io.weir.core.policy.schema.Field;
import io.weir.state.document.SchemaDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The reference and the JSON Schema of policies are what the tables of fields say. With {@code -Dweir.write=true} this
 * test writes both.
 */
final class PolicyReferenceTest {
  private static final Path REFERENCE = Path.of("../../docs/reference/policy.md");
  private static final Path SCHEMA = Path.of("../../docs/reference/policy.schema.json");
  private static final boolean IS_WRITING = Boolean.getBoolean("weir.write");
  private static final Pattern BLOCK =
      Pattern.compile("<!-- fields: (\\w+) -->\n(.*?)<!-- end -->", Pattern.DOTALL);

  @Test
  void theReferenceHasTheFieldsOfEachSection() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    PolicySchema.tables().forEach((name, fields) -> expected.put(name, table(fields)));
    String document = Files.readString(REFERENCE);
    if (IS_WRITING) {
      document = BLOCK
          .matcher(document)
          .replaceAll(found -> Matcher.quoteReplacement(block(found.group(1), expected)));
      Files.writeString(REFERENCE, document);
    }
    Map<String, String> written = new TreeMap<>();
    for (MatchResult found : BLOCK.matcher(document).results().toList()) {
      assertThat(written.put(found.group(1), found.group(2))).as(found.group(1)).isNull();
    }
    assertThat(written).isEqualTo(expected);
  }

  @Test
  void theSchemaIsTheGeneratedOne() throws IOException {
    if (IS_WRITING) {
      Files.writeString(SCHEMA, SchemaDocument.text());
    }
    assertThat(Files.readString(SCHEMA)).isEqualTo(SchemaDocument.text());
  }

  private static String block(String name, Map<String, String> tables) {
    return "<!-- fields: %s -->\n%s<!-- end -->".formatted(name, tables.getOrDefault(name, ""));
  }

  private static String table(List<Field<?>> fields) {
    StringBuilder table =
        new StringBuilder("\n| Field | Default | Bounds | Meaning |\n|---|---|---|---|\n");
    for (Field<?> field : fields) {
      table.append("| `%s` | %s | %s | %s |\n"
          .formatted(field.name(), usual(field), field.bounds(), field.meaning()));
    }
    return table.append("\n").toString();
  }

  private static String usual(Field<?> field) {
    if (field.isRequired()) {
      return "required";
    }
    String usual = field.usualWritten().map(Object::toString).orElse("");
    return usual.equals("[]") ? "" : usual;
  }
}
