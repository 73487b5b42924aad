package io.weir.state.document;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.weir.core.policy.read.PolicySchema;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The JSON Schema of policies as a text, by which editors complete and check a policy. */
public final class SchemaDocument {
  private static final int WIDTH = 119;
  private static final String STEP = "  ";

  private SchemaDocument() {}

  /** The schema (draft 2020-12): what fits into a line stands in one, the rest is indented by two spaces. */
  public static String text() {
    return text(PolicySchema.schema(), "", 0) + "\n";
  }

  private static String text(Object value, String indent, int column) {
    String line = line(value);
    String inner = indent + STEP;
    if (column + line.length() <= WIDTH) {
      return line;
    }
    if (value instanceof Map<?, ?> mapping) {
      StringJoiner fields = new StringJoiner(",\n" + inner, "{\n" + inner, "\n" + indent + "}");
      mapping.forEach((key, field) -> {
        String name = line(key) + ": ";
        fields.add(name + text(field, inner, inner.length() + name.length() + 1));
      });
      return fields.toString();
    }
    if (value instanceof List<?> list) {
      StringJoiner items = new StringJoiner(",\n" + inner, "[\n" + inner, "\n" + indent + "]");
      list.forEach(item -> items.add(text(item, inner, inner.length() + 1)));
      return items.toString();
    }
    return line;
  }

  private static String line(Object value) {
    if (value instanceof Map<?, ?> mapping) {
      StringJoiner fields = new StringJoiner(", ", "{ ", " }").setEmptyValue("{}");
      mapping.forEach((key, field) -> fields.add(line(key) + ": " + line(field)));
      return fields.toString();
    }
    if (value instanceof List<?> list) {
      StringJoiner items = new StringJoiner(", ", "[", "]");
      list.forEach(item -> items.add(line(item)));
      return items.toString();
    }
    return value instanceof String text
        ? '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"'
        : value.toString();
  }
}
