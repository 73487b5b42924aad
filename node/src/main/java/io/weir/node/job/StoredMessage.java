package io.weir.node.job;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Headers and bodies as they are stored in the shared state: text where they are text, so that an operator can read them. */
final class StoredMessage {
  private static final String BODY = "body";
  private static final String BYTES = "bytes";
  private static final String HEADERS = "headers";
  private static final int MAX_HEADERS_BYTES = 3 << 10;

  private StoredMessage() {}

  /** Those of the headers that are named, in lower case. */
  static JsonObject headers(MultiMap headers, Set<String> names) {
    JsonObject kept = new JsonObject();
    int bytes = 0;
    for (String name : names) {
      String value = headers.get(name);
      if (value != null && bytes + name.length() + value.length() <= MAX_HEADERS_BYTES) {
        bytes += name.length() + value.length();
        kept.put(name, value);
      }
    }
    return kept;
  }

  static JsonObject put(JsonObject message, JsonObject headers, Buffer body) {
    if (!headers.isEmpty()) {
      message.put(HEADERS, headers);
    }
    if (body.length() == 0) {
      return message;
    }
    try {
      String text = StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(body.getBytes()))
          .toString();
      // Control characters are six in JSON.
      return text.chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\t')
          ? message.put(BODY, text)
          : message.put(BYTES, body.getBytes());
    } catch (CharacterCodingException e) {
      return message.put(BYTES, body.getBytes()); // Base64 in JSON
    }
  }

  static MultiMap headersOf(JsonObject message) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    message
        .getJsonObject(HEADERS, new JsonObject())
        .forEach(entry -> headers.set(entry.getKey(), String.valueOf(entry.getValue())));
    return headers;
  }

  static Buffer bodyOf(JsonObject message) {
    if (message.containsKey(BYTES)) {
      return Buffer.buffer(message.getBinary(BYTES));
    }
    return Buffer.buffer(message.getString(BODY, ""));
  }
}
