package io.weir.client.window;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An object of JSON in the answer of a node. Absent numbers read as 0, absent texts as empty. */
record WindowJson(Map<String, Object> fields) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final WindowJson EMPTY = new WindowJson(Map.of());

  /** @throws IOException if it is no object */
  static WindowJson read(String text) throws IOException {
    try (JsonParser json = JSON.createParser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("the answer is no object");
      }
      return new WindowJson(object(json));
    }
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      fields.put(name, value(json));
    }
    return fields;
  }

  private static Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> object(json);
      case START_ARRAY -> list(json);
      case VALUE_NUMBER_INT -> json.getLongValue();
      default -> json.getText();
    };
  }

  private static List<Object> list(JsonParser json) throws IOException {
    List<Object> items = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      items.add(value(json));
    }
    return items;
  }

  /** The body of a request about a range: names and values in turn, numbers and texts. */
  static String body(Object... fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      for (int i = 0; i < fields.length; i += 2) {
        json.writeFieldName((String) fields[i]);
        if (fields[i + 1] instanceof Long number) {
          json.writeNumber(number);
        } else {
          json.writeString((String) fields[i + 1]);
        }
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("memory takes all characters", e);
    }
    return text.toString();
  }

  long number(String name) {
    return fields.get(name) instanceof Long number ? number : 0;
  }

  String text(String name) {
    return fields.get(name) instanceof String text ? text : "";
  }

  WindowCounts counts() {
    WindowJson window = part(fields.get("window"));
    return new WindowCounts(
        window.number("next"),
        window.number("watermark"),
        window.number("open"),
        window.number("todo"),
        window.number("busy"),
        window.number("failed"));
  }

  /** @param note the name of the field with the note of each */
  List<WindowRange> ranges(String name, String note) {
    List<WindowRange> ranges = new ArrayList<>();
    if (fields.get(name) instanceof List<?> items) {
      for (Object item : items) {
        WindowJson range = part(item);
        ranges.add(new WindowRange(
            range.number("from"),
            range.number("to"),
            range.text("state"),
            range.number("attempts"),
            range.text(note)));
      }
    }
    return ranges;
  }

  @SuppressWarnings("unchecked") // the mappings are made here
  private static WindowJson part(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? new WindowJson((Map<String, Object>) map) : EMPTY;
  }
}
