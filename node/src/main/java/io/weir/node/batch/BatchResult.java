package io.weir.node.batch;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** What is told of items. */
final class BatchResult {
  static final JsonObject NOT_ATTEMPTED = of("not_attempted");

  /** A longer answer is executed all the same, but neither told nor kept. */
  static final int MAX_BODY_BYTES = 64 << 10;

  private BatchResult() {}

  /** An outcome without anything else. */
  static JsonObject of(String outcome) {
    return new JsonObject().put("outcome", outcome);
  }

  /** An outcome with a reason. */
  static JsonObject of(String outcome, String reason) {
    return of(outcome).put("reason", reason);
  }

  /** Whether an item was executed, by what is told of it. */
  static boolean isExecuted(JsonObject result) {
    return "executed".equals(result.getValue("outcome"));
  }

  /**
   * An outcome with the upstream's answer.
   *
   * @param body what is kept of it
   * @param bodyBytes its length
   */
  static JsonObject of(String outcome, int status, MultiMap headers, Buffer body, long bodyBytes) {
    JsonObject result = of(outcome).put("status", status);
    Optional.ofNullable(headers.get(HttpHeaders.LOCATION))
        .ifPresent(location -> result.put("location", location));
    if (bodyBytes > MAX_BODY_BYTES || bodyBytes > body.length()) {
      return result.put("bodyBytes", bodyBytes);
    }
    return body.length() == 0 ? result : withBody(result, headers, body);
  }

  private static JsonObject withBody(JsonObject result, MultiMap headers, Buffer body) {
    String type = Optional.ofNullable(headers.get(HttpHeaders.CONTENT_TYPE)).orElse("");
    if (type.contains("json")) {
      try {
        return result.put("body", Json.decodeValue(body));
      } catch (DecodeException e) {
        // told as text, then
      }
    }
    try {
      String text = StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(body.getBytes()))
          .toString();
      return result.put("body", text);
    } catch (CharacterCodingException e) {
      return result.put("bodyBase64", Base64.getEncoder().encodeToString(body.getBytes()));
    }
  }
}
