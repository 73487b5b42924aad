package io.weir.batch;

import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.json.JsonLookup;
import io.weir.node.json.JsonText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * The result of an item in the batch's answer, as JSON.
 *
 * @param json an object, with the outcome in one word
 */
record Result(boolean isExecuted, Buffer json) {
  /** A longer answer is neither returned nor stored; the item counts as executed all the same. */
  static final int MAX_BODY_BYTES = 64 << 10;

  static final Result NOT_ATTEMPTED = of("not_attempted");

  private static final String EXECUTED = "executed";

  /** Parses a result that was returned or stored before; empty if it is malformed. */
  static Optional<Result> parse(Buffer json) {
    try {
      Optional<String> outcome = JsonLookup.scalar(json.getBytes(), "/outcome");
      return outcome.map(word -> new Result(word.equals(EXECUTED), json));
    } catch (JsonLookup.BadJsonException e) {
      return Optional.empty();
    }
  }

  /** An outcome without details. */
  static Result of(String outcome) {
    return made(outcome, json -> {});
  }

  /** An outcome with a reason. */
  static Result of(String outcome, String reason) {
    return made(outcome, json -> json.writeStringField("reason", reason));
  }

  /** An outcome with a reason and a status. */
  static Result of(String outcome, String reason, int status) {
    return made(outcome, json -> {
      json.writeStringField("reason", reason);
      json.writeNumberField("status", status);
    });
  }

  /** An outcome with Weir's own answer. */
  static Result of(String outcome, ProblemDetails problem) {
    return made(outcome, json -> {
      json.writeNumberField("status", problem.status());
      json.writeFieldName("body");
      json.writeRawValue(problem.text());
    });
  }

  /** An outcome with the upstream's answer. */
  static Result of(String outcome, UpstreamAnswer answer) {
    return made(outcome, json -> {
      json.writeNumberField("status", answer.status());
      String location = answer.headers().get(HttpHeaders.LOCATION);
      if (location != null) {
        json.writeStringField("location", location);
      }
      writeBody(answer.headers(), answer.body(), answer.bodyBytes(), json);
    });
  }

  /** The same without the body of the upstream's answer. */
  Result withoutBody() {
    byte[] document = json.getBytes();
    return made(isExecuted ? EXECUTED : "failed", shorter -> {
      Optional<String> status = member(document, "/status");
      if (status.isPresent()) {
        shorter.writeNumberField("status", Integer.parseInt(status.get()));
      }
      Optional<String> location = member(document, "/location");
      if (location.isPresent()) {
        shorter.writeStringField("location", location.get());
      }
      shorter.writeNumberField("bodyBytes", document.length);
    });
  }

  private static Optional<String> member(byte[] document, String pointer) {
    try {
      return JsonLookup.scalar(document, pointer);
    } catch (JsonLookup.BadJsonException e) {
      return Optional.empty();
    }
  }

  private static void writeBody(MultiMap headers, Buffer body, long bodyBytes, JsonGenerator json)
      throws IOException {
    if (bodyBytes > MAX_BODY_BYTES || bodyBytes > body.length()) {
      json.writeNumberField("bodyBytes", bodyBytes);
      return;
    }
    if (body.length() == 0) {
      return;
    }
    String type = Optional.ofNullable(headers.get(HttpHeaders.CONTENT_TYPE)).orElse("");
    if (type.contains("json") && JsonText.isOne(body.getBytes())) {
      json.writeFieldName("body");
      json.writeRawValue(body.toString(StandardCharsets.UTF_8));
      return;
    }
    try {
      String text = StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(body.getBytes()))
          .toString();
      json.writeStringField("body", text);
    } catch (CharacterCodingException e) {
      json.writeStringField("bodyBase64", Base64.getEncoder().encodeToString(body.getBytes()));
    }
  }

  private static Result made(String outcome, JsonText.Writer more) {
    return new Result(outcome.equals(EXECUTED), Buffer.buffer(JsonText.written(json -> {
      json.writeStartObject();
      json.writeStringField("outcome", outcome);
      more.write(json);
      json.writeEndObject();
    })));
  }
}
