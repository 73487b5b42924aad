package io.weir.node.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Set;

/** The methods that a JSON-RPC body calls. */
public final class JsonRpcMethods {
  private static final String METHOD = "method";

  private JsonRpcMethods() {}

  /**
   * Whether a body is a call, or a non-empty batch of calls, of these methods only. The name of the field {@code
   * method} is compared without case, and each such field must name one of the methods: servers read ambiguous bodies
   * differently.
   */
  public static boolean areAllIn(Set<String> methods, Buffer body) {
    try (JsonParser parser = JsonInput.parser(body.getBytes())) {
      boolean areAll = parser.nextToken() == JsonToken.START_ARRAY
          ? isBatchOf(methods, parser)
          : isCallOf(methods, parser);
      return areAll && parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isBatchOf(Set<String> methods, JsonParser parser) throws IOException {
    int calls = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (!isCallOf(methods, parser)) {
        return false;
      }
      calls++;
    }
    return calls > 0;
  }

  private static boolean isCallOf(Set<String> methods, JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      return false;
    }
    boolean hasMethod = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      boolean isMethod = METHOD.equalsIgnoreCase(parser.currentName());
      JsonToken value = parser.nextToken();
      if (isMethod && !(value == JsonToken.VALUE_STRING && methods.contains(parser.getText()))) {
        return false;
      }
      hasMethod |= isMethod;
      parser.skipChildren();
    }
    return hasMethod;
  }
}
