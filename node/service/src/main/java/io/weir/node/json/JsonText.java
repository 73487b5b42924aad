package io.weir.node.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes, copies and checks JSON as text. */
public final class JsonText {
  private JsonText() {}

  /** Writes to a generator. */
  @FunctionalInterface
  public interface Writer {
    void write(JsonGenerator json) throws IOException;
  }

  /** The bytes that a writer writes. */
  public static byte[] written(Writer writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = generator(bytes)) {
      writer.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot happen: writes to memory only
    }
    return bytes.toByteArray();
  }

  /** The value at which a parser is, as text; the parser is at its end afterwards. */
  public static byte[] copied(JsonParser from) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = generator(bytes)) {
      json.copyCurrentStructureExact(from);
    }
    return bytes.toByteArray();
  }

  /** A generator that writes to memory. */
  public static JsonGenerator generator(ByteArrayOutputStream bytes) throws IOException {
    return JsonInput.JSON.createGenerator(bytes);
  }

  /** Whether these bytes are one JSON value. */
  public static boolean isOne(byte[] document) {
    try (JsonParser json = JsonInput.parser(document)) {
      if (json.nextToken() == null) {
        return false;
      }
      json.skipChildren();
      return json.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }
}
