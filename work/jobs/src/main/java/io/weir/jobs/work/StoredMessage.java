package io.weir.jobs.work;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/**
 * Headers and bodies as they are stored in the shared state: as text if possible, so that an operator can read them.
 */
final class StoredMessage {
  private static final String BODY = "body";
  private static final String BYTES = "bytes";
  private static final String HEADERS = "headers";
  /** The most bytes of the names and values of headers together. */
  static final int MAX_HEADERS_BYTES = 3 << 10;

  private StoredMessage() {}

  /** The named headers, each with all its values (RFC 9110, section 5.3). */
  static MultiMap headers(MultiMap headers, Set<String> names) {
    MultiMap kept = MultiMap.caseInsensitiveMultiMap();
    for (String name : names) {
      if (headers.contains(name)) {
        kept.set(name, String.join(", ", headers.getAll(name)));
      }
    }
    return kept;
  }

  /** The bytes of the names and values of headers together. */
  static int bytesOf(MultiMap headers) {
    int bytes = 0;
    for (Map.Entry<String, String> header : headers) {
      bytes += header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  private static JsonObject json(MultiMap headers) {
    JsonObject json = new JsonObject();
    headers.forEach(json::put);
    return json;
  }

  static JsonObject put(JsonObject message, MultiMap headers, Buffer body) {
    if (!headers.isEmpty()) {
      message.put(HEADERS, json(headers));
    }
    if (body.length() == 0) {
      return message;
    }
    try {
      String text = StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(body.getBytes()))
          .toString();
      // Control characters take six characters in JSON.
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
