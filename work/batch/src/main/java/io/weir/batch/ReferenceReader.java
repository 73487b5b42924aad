package io.weir.batch;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.batch.Item.Parameter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads members of an object that may be a reference, {@code {"from": 0, "path": "/streamId"}}: exactly these two.
 * Mutable; for one object.
 */
final class ReferenceReader {
  private static final String FROM = "from";
  private static final String PATH = "path";

  private @Nullable Integer item;
  private @Nullable String pointer;
  private boolean isFromFirst;

  /** Reads a member at whose value the parser is; false if it does not belong to a reference. */
  boolean reads(String name, JsonParser json) throws IOException {
    if (name.equals(FROM)
        && item == null
        && json.currentToken() == JsonToken.VALUE_NUMBER_INT
        && json.getNumberType() == JsonParser.NumberType.INT) {
      item = json.getIntValue();
      isFromFirst = pointer == null;
      return true;
    }
    if (name.equals(PATH)
        && pointer == null
        && json.currentToken() == JsonToken.VALUE_STRING
        && (json.getTextLength() == 0 || json.getText().startsWith("/"))) {
      pointer = json.getText();
      return true;
    }
    return false;
  }

  /** Whether both members are present. */
  boolean isWhole() {
    return item != null && pointer != null;
  }

  /** The reference; call only if it is whole. */
  Parameter.From from() {
    if (item == null || pointer == null) {
      throw new IllegalStateException("not whole");
    }
    return new Parameter.From(item, pointer);
  }

  /** Writes the members that were read, if they are not a reference. */
  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartObject();
    if (isFromFirst) {
      writeFrom(json);
    }
    if (pointer != null) {
      json.writeStringField(PATH, pointer);
    }
    if (!isFromFirst) {
      writeFrom(json);
    }
  }

  private void writeFrom(JsonGenerator json) throws IOException {
    if (item != null) {
      json.writeNumberField(FROM, item);
    }
  }
}
