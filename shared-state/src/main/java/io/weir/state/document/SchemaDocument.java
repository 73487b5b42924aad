package io.weir.state.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.weir.core.policy.read.PolicySchema;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** The JSON Schema of policies as a text, by which editors complete and check a policy. */
public final class SchemaDocument {
  private static final JsonFactory JSON = new JsonFactory();

  private SchemaDocument() {}

  /** The schema (draft 2020-12), indented by two spaces. */
  public static String text() {
    StringWriter text = new StringWriter();
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(indenter));
      write(json, PolicySchema.schema());
    } catch (IOException e) {
      throw new UncheckedIOException("a text can be written", e);
    }
    return text + "\n";
  }

  private static void write(JsonGenerator json, Object value) throws IOException {
    if (value instanceof Map<?, ?> mapping) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : mapping.entrySet()) {
        json.writeFieldName((String) entry.getKey());
        write(json, entry.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      for (Object item : list) {
        write(json, item);
      }
      json.writeEndArray();
    } else if (value instanceof BigDecimal decimal) {
      json.writeNumber(decimal);
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else {
      json.writeString((String) value);
    }
  }
}
