package io.weir.node.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.buffer.Buffer;
import io.weir.decision.Decision;
import io.weir.decision.Decision.Denied;
import io.weir.decision.Decision.NeverAllowed;
import io.weir.decision.Limit;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.check.Outcome.Decided;
import io.weir.node.check.Outcome.Failed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** What a service is answered, as JSON. */
final class CheckAnswer {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int USUAL_BYTES = 512;

  private CheckAnswer() {}

  /** The answer to one check. */
  static Buffer of(Outcome outcome) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      write(outcome, json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // nothing is written but to memory
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  /** The answer to a list of checks, in its order. */
  static Buffer of(List<Outcome> outcomes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("decisions");
      for (Outcome outcome : outcomes) {
        write(outcome, json);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  private static void write(Outcome outcome, JsonGenerator json) throws IOException {
    json.writeStartObject();
    if (outcome instanceof Decided decided) {
      write(decided.decision(), json);
    } else if (outcome instanceof Failed failed) {
      json.writeFieldName("problem");
      json.writeRawValue(failed.problem().toJson().encode());
    }
    json.writeEndObject();
  }

  private static void write(Decision decision, JsonGenerator json) throws IOException {
    if (decision instanceof Denied denied) {
      word("denied", denied.full(), json);
      long wait = DecisionAnswers.retryAfterMillis(denied);
      json.writeNumberField("retryAfterMs", wait);
      json.writeNumberField("slotMs", wait);
      json.writeBooleanField("estimate", denied.estimate());
      if (denied.ticket().isPresent()) {
        json.writeStringField("ticket", denied.ticket().get());
      }
    } else if (decision instanceof NeverAllowed never) {
      word("never_allowed", never.full(), json);
      json.writeStringField("reason", never.reason().code());
    } else {
      word("allowed", List.of(), json);
      json.writeNumberField("retryAfterMs", 0);
    }
    write(decision.limits(), json);
    json.writeNumberField("revision", decision.revision());
    if (decision.degraded()) {
      json.writeBooleanField("degraded", true);
    }
  }

  private static void word(String decision, List<String> full, JsonGenerator json)
      throws IOException {
    json.writeStringField("decision", decision);
    json.writeArrayFieldStart("full");
    for (String bucket : full) {
      json.writeString(bucket);
    }
    json.writeEndArray();
  }

  private static void write(List<Limit> limits, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("limits");
    for (Limit limit : limits) {
      json.writeStartObject();
      json.writeStringField("bucket", limit.bucket());
      json.writeNumberField("remaining", limit.remaining());
      json.writeNumberField("resetMs", DecisionAnswers.resetMillis(limit));
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
