package io.weir.node.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The only reader of JSON from callers and upstreams. Keeps no names beyond their document: a shared table of names
 * would grow with the names that callers invent, and block event loops.
 */
public final class JsonInput {
  /** The deepest nesting that is accepted. */
  public static final int MAX_DEPTH = 200;

  /** Why a document is no object: it is another value. */
  public static final String OTHER_VALUE = "another JSON value";

  /** Why a document is no object: something follows. */
  public static final String SEVERAL_VALUES = "more than one JSON value";

  /** Why a document is no object: it is empty. */
  public static final String NOTHING = "nothing";

  static final JsonFactory JSON = JsonFactory.builder()
      .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
      .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
      .streamReadConstraints(
          StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
      .build();

  private JsonInput() {}

  /** A parser for a document, with bounds. */
  public static JsonParser parser(byte[] document) throws IOException {
    return JSON.createParser(document);
  }

  /**
   * A small document that is an object.
   *
   * @throws DecodeException if it is not an object; the message says why, and repeats nothing of the document
   */
  public static JsonObject object(Buffer document) {
    if (value(document) instanceof JsonObject object) {
      return object;
    }
    throw new DecodeException(OTHER_VALUE);
  }

  /** The same for a text. */
  public static JsonObject object(String document) {
    return object(Buffer.buffer(document));
  }

  /**
   * A small document: an object, an array, a text, a number, a flag or null.
   *
   * @throws DecodeException if it is not JSON
   */
  public static @Nullable Object value(Buffer document) {
    try (JsonParser json = parser(document.getBytes())) {
      if (json.nextToken() == null) {
        throw new DecodeException(NOTHING);
      }
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new DecodeException(SEVERAL_VALUES);
      }
      return value;
    } catch (IOException e) {
      throw new DecodeException(fault(e));
    }
  }

  /** Why a document is no object: the place from which on it cannot be read. */
  public static String fault(IOException unreadable) {
    JsonLocation at =
        unreadable instanceof JsonProcessingException json ? json.getLocation() : null;
    return at == null
        ? "broken JSON"
        : "broken JSON at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
  }

  /** The mistake of a body that is no object. */
  public static String mistake(@Nullable String why) {
    return "the body: %s (expected: a JSON object)".formatted(why);
  }

  /** A text without its escapes, from between its quotes; null if an escape is broken. */
  public static @Nullable String unescaped(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    try (JsonParser json = parser(('"' + text + '"').getBytes(StandardCharsets.UTF_8))) {
      return json.nextTextValue();
    } catch (IOException e) {
      return null;
    }
  }

  private static @Nullable Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> members(json);
      case START_ARRAY -> items(json);
      case VALUE_STRING -> json.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getNumberValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static JsonObject members(JsonParser json) throws IOException {
    Map<String, Object> members = new LinkedHashMap<>();
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      put(members, name, value(json));
    }
    return new JsonObject(members);
  }

  private static JsonArray items(JsonParser json) throws IOException {
    List<Object> items = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      add(items, value(json));
    }
    return new JsonArray(items);
  }

  @SuppressWarnings("NullAway") // null is a value of JSON
  private static void put(Map<String, Object> members, String name, @Nullable Object value) {
    members.put(name, value);
  }

  @SuppressWarnings("NullAway") // null is a value of JSON
  private static void add(List<Object> items, @Nullable Object value) {
    items.add(value);
  }
}
