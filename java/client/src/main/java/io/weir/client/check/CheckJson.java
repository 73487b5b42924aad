package io.weir.client.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.client.check.Checked.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes lists of checks, and reads their answers. */
final class CheckJson {
  private static final JsonFactory JSON = JsonFactory.builder()
      .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
      .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
      .build();

  private CheckJson() {}

  static byte[] write(List<Check> checks) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 * checks.size());
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("checks");
      for (Check check : checks) {
        write(check, json);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("memory takes all bytes", e);
    }
    return bytes.toByteArray();
  }

  private static void write(Check check, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField(check.isKey() ? "key" : "subject", check.who());
    json.writeStringField("operation", check.operation());
    if (check.cost().isPresent()) {
      json.writeNumberField("cost", check.cost().getAsLong());
    }
    if (check.atLeast().isPresent()) {
      json.writeNumberField("atLeast", check.atLeast().getAsLong());
    }
    if (check.ticket().isPresent()) {
      json.writeStringField("ticket", check.ticket().get());
    } else if (check.wantsTicket()) {
      json.writeBooleanField("ticket", true);
    }
    json.writeEndObject();
  }

  /**
   * An answer of a list.
   *
   * @param checked what was decided
   * @param code of the refusal of this check alone, if it was
   */
  record Answer(Optional<Checked> checked, String code) {}

  /** @throws IOException if it is not the answer to so many checks */
  static List<Answer> read(byte[] text, int checks) throws IOException {
    List<Answer> answers = new ArrayList<>(checks);
    try (JsonParser json = JSON.createParser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("the answer is no object");
      }
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        if (name.equals("decisions") && json.nextToken() == JsonToken.START_ARRAY) {
          while (json.nextToken() == JsonToken.START_OBJECT) {
            answers.add(answer(json));
          }
        } else {
          json.nextToken();
          json.skipChildren();
        }
      }
    }
    if (answers.size() != checks) {
      throw new IOException("%d answers to %d checks".formatted(answers.size(), checks));
    }
    return answers;
  }

  private static Answer answer(JsonParser json) throws IOException {
    Draft draft = new Draft();
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      draft.read(name, json);
    }
    return draft.answer();
  }

  /**
   * The places of the checks that made a node refuse a list: {@code checks[3].key: …}.
   *
   * @param errors the member of that name
   */
  static List<Integer> places(List<String> errors) {
    return errors.stream()
        .filter(error -> error.startsWith("checks["))
        .map(error -> error.substring("checks[".length()).replaceAll("\\D.*", ""))
        .filter(digits -> !digits.isEmpty() && digits.length() <= 4)
        .map(Integer::valueOf)
        .distinct()
        .toList();
  }

  /**
   * A refusal of a whole list.
   *
   * @param code of the problem; empty if it cannot be read
   */
  record Refusal(String code, List<String> errors) {}

  static Refusal refusal(byte[] text) {
    String code = "";
    List<String> errors = new ArrayList<>();
    try (JsonParser json = JSON.createParser(text)) {
      json.nextToken();
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        JsonToken value = json.nextToken();
        if (name.equals("code") && value == JsonToken.VALUE_STRING) {
          code = json.getText();
        } else if (name.equals("errors") && value == JsonToken.START_ARRAY) {
          errors.addAll(texts(json));
        } else {
          json.skipChildren();
        }
      }
    } catch (IOException e) {
      return new Refusal(code, errors);
    }
    return new Refusal(code, errors);
  }

  private static List<String> texts(JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    for (JsonToken next = json.nextToken();
        next != null && next != JsonToken.END_ARRAY;
        next = json.nextToken()) {
      if (next == JsonToken.VALUE_STRING) {
        texts.add(json.getText());
      } else {
        json.skipChildren();
      }
    }
    return texts;
  }

  /** The fields of one answer. Mutable; for one reading. */
  private static final class Draft {
    private String decision = "";
    private OptionalLong granted = OptionalLong.empty();
    private List<String> full = List.of();
    private long retryAfterMillis;
    private boolean isEstimate;
    private Optional<String> ticket = Optional.empty();
    private Optional<String> reason = Optional.empty();
    private Optional<String> id = Optional.empty();
    private boolean isDegraded;
    private long revision;
    private String code = "";

    void read(String name, JsonParser json) throws IOException {
      switch (name) {
        case "decision" -> decision = json.getValueAsString("");
        case "granted" -> granted = OptionalLong.of(json.getValueAsLong());
        case "full" -> full = texts(json);
        case "retryAfterMs" -> retryAfterMillis = Math.max(0, json.getValueAsLong());
        case "estimate" -> isEstimate = json.getValueAsBoolean();
        case "ticket" -> ticket = Optional.ofNullable(json.getValueAsString());
        case "reason" -> reason = Optional.ofNullable(json.getValueAsString());
        case "id" -> id = Optional.ofNullable(json.getValueAsString());
        case "degraded" -> isDegraded = json.getValueAsBoolean();
        case "revision" -> revision = json.getValueAsLong();
        case "problem" -> problem(json);
        default -> json.skipChildren();
      }
    }

    private void problem(JsonParser json) throws IOException {
      code = CheckException.UNDECIDED;
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        json.nextToken();
        if (name.equals("code")) {
          code = json.getValueAsString(code);
        } else {
          json.skipChildren();
        }
      }
    }

    Answer answer() throws IOException {
      if (!code.isEmpty()) {
        return new Answer(Optional.empty(), code);
      }
      Outcome outcome = switch (decision) {
        case "allowed" -> Outcome.ALLOWED;
        case "denied" -> Outcome.DENIED;
        case "never_allowed" -> Outcome.NEVER_ALLOWED;
        default -> throw new IOException("an unknown decision");
      };
      return new Answer(
          Optional.of(new Checked(
              outcome,
              granted,
              full,
              Duration.ofMillis(retryAfterMillis),
              isEstimate,
              ticket,
              reason,
              id,
              isDegraded,
              revision)),
          "");
    }
  }
}
