package io.weir.node.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Finds one value of a JSON document without building the rest. */
public final class JsonLookup {
  private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");

  private final List<String> segments;
  private final Visitor visitor;

  private JsonLookup(String pointer, Visitor visitor) {
    this.segments = segments(pointer);
    this.visitor = visitor;
  }

  /** The document is not JSON, or can be read in more than one way. */
  public static final class BadJsonException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadJsonException(String message) {
      super(message, null, false, false);
    }
  }

  /** Gets the value, with the parser at its first token, and leaves the parser at the last one. */
  private interface Visitor {
    void visit(JsonParser json) throws IOException, BadJsonException;
  }

  /**
   * The text of a number, a text or a word; empty if there is no value, or null.
   *
   * @param pointer the place of the value (RFC 6901)
   * @throws BadJsonException if the document is not JSON, or repeats a member on the way
   */
  public static Optional<String> scalar(byte[] document, String pointer) throws BadJsonException {
    String[] found = new String[1];
    visit(document, pointer, json -> {
      if (json.currentToken() != JsonToken.VALUE_NULL) {
        found[0] = json.currentToken().isScalarValue() ? json.getText() : "a list or an object";
      }
      json.skipChildren();
    });
    return Optional.ofNullable(found[0]);
  }

  /**
   * A value as JSON; empty if there is no value, or null.
   *
   * @throws BadJsonException as of {@link #scalar}
   */
  public static byte[] text(byte[] document, String pointer) throws BadJsonException {
    byte[][] found = {new byte[0]};
    visit(document, pointer, json -> {
      if (json.currentToken() != JsonToken.VALUE_NULL) {
        found[0] = JsonText.copied(json);
      }
    });
    return found[0];
  }

  /**
   * The number of elements of a list, or 1 for another value; empty if there is no value, or null.
   *
   * @throws BadJsonException as of {@link #scalar}
   */
  public static OptionalLong count(byte[] document, String pointer) throws BadJsonException {
    long[] found = {-1};
    visit(document, pointer, json -> {
      if (json.currentToken() == JsonToken.START_ARRAY) {
        found[0] = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          json.skipChildren();
          found[0]++;
        }
      } else if (json.currentToken() != JsonToken.VALUE_NULL) {
        json.skipChildren();
        found[0] = 1;
      }
    });
    return found[0] < 0 ? OptionalLong.empty() : OptionalLong.of(found[0]);
  }

  /** Whether a text is a JSON pointer (RFC 6901, section 3). */
  public static boolean isPointer(String text) {
    return (text.isEmpty() || text.startsWith("/")) && !text.matches("(?s).*~([^01].*|$)");
  }

  /** Shows the value to a visitor, if there is one. */
  private static void visit(byte[] document, String pointer, Visitor visitor)
      throws BadJsonException {
    JsonLookup lookup = new JsonLookup(pointer, visitor);
    try (JsonParser json = JsonInput.parser(document)) {
      json.nextToken();
      if (json.currentToken() == null) {
        throw new BadJsonException("the body is no JSON");
      }
      lookup.look(json, 0);
      if (json.nextToken() != null) {
        throw new BadJsonException("the body is more than one JSON value");
      }
    } catch (IOException e) {
      throw new BadJsonException("the body is " + JsonInput.fault(e));
    }
  }

  // The parser is at the first token of a value, and at its last one afterwards.
  private void look(JsonParser json, int depth) throws IOException, BadJsonException {
    if (depth == segments.size()) {
      visitor.visit(json);
    } else if (json.currentToken() == JsonToken.START_OBJECT) {
      lookInObject(json, depth);
    } else if (json.currentToken() == JsonToken.START_ARRAY) {
      lookInArray(json, depth);
    }
  }

  private void lookInObject(JsonParser json, int depth) throws IOException, BadJsonException {
    boolean isThere = false;
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      if (!name.equals(segments.get(depth))) {
        json.skipChildren();
      } else if (isThere) {
        throw new BadJsonException("the body has a member twice that must be there once");
      } else {
        isThere = true;
        look(json, depth + 1);
      }
    }
  }

  private void lookInArray(JsonParser json, int depth) throws IOException, BadJsonException {
    int wanted = index(segments.get(depth));
    int index = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (index == wanted) {
        look(json, depth + 1);
      } else {
        json.skipChildren();
      }
      index++;
    }
  }

  // RFC 6901, section 4: no leading zeros.
  private static int index(String segment) {
    return INDEX.matcher(segment).matches() ? Integer.parseInt(segment) : -1;
  }

  /** The names and numbers of a JSON pointer, without its escapes. */
  public static List<String> segments(String pointer) {
    if (pointer.isEmpty()) {
      return List.of();
    }
    return Arrays.stream(pointer.substring(1).split("/", -1))
        .map(segment -> segment.replace("~1", "/").replace("~0", "~"))
        .toList();
  }
}
