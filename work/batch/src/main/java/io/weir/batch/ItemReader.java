package io.weir.batch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.buffer.Buffer;
import io.weir.batch.Item.Parameter;
import io.weir.batch.Mistakes.BadBatchException;
import io.weir.node.json.JsonText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one item of a batch. Mutable; for one item. */
final class ItemReader {
  private static final int MAX_HEADERS = 50;
  private static final int MAX_POINTER = 1000;
  private static final int MAX_PARAMETER = 1000;
  private static final Pattern METHOD = Pattern.compile("[A-Z]{3,20}");
  private static final Pattern PATH = Pattern.compile("/[\\x21-\\x7e]{0,2000}");
  // RFC 9110, section 5.6.2
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]{0,4000}");
  private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,64}");
  // Headers of identity and of the connection belong to the batch.
  private static final Set<String> NOT_AN_ITEMS = Set.of(
      "host",
      "content-length",
      "transfer-encoding",
      "connection",
      "expect",
      "upgrade",
      "te",
      "trailer",
      "x-api-key",
      "authorization",
      "prefer",
      "retry-ticket",
      "idempotency-key");

  private final JsonParser json;
  private final Mistakes mistakes;
  private final String at;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private final Map<String, Parameter> parameters = new LinkedHashMap<>();
  private @Nullable String method;
  private @Nullable String path;
  private String charge = "block";
  private Buffer body = Buffer.buffer();
  private Optional<String> idempotencyKey = Optional.empty();

  /** @param at the place of the item in the batch, for messages */
  ItemReader(JsonParser json, Mistakes mistakes, String at) {
    this.json = json;
    this.mistakes = mistakes;
    this.at = at;
  }

  /** Reads the value at which the parser is, to its end. */
  Item item() throws IOException, BadBatchException {
    if (json.currentToken() == JsonToken.START_OBJECT) {
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        json.nextToken();
        member(name);
      }
      if (method == null) {
        method = wrong("method", "a method in upper case");
      }
      if (path == null) {
        path = wrong("path", "a path that begins with /");
      }
    } else {
      mistakes.add(at, "(expected: an object)");
      json.skipChildren();
    }
    return new Item(
        Optional.ofNullable(method).orElse(""),
        new Item.Target(Optional.ofNullable(path).orElse(""), parameters),
        headers,
        body,
        idempotencyKey,
        charge.equals("count"));
  }

  private void member(String name) throws IOException, BadBatchException {
    switch (name) {
      case "method" ->
        method = text(
            name,
            "a method in upper case",
            METHOD.asMatchPredicate().and(text -> !text.equals("CONNECT")));
      case "path" -> path = text(name, "a path that begins with /", PATH.asMatchPredicate());
      case "charge" ->
        charge = text(name, "block or count", text -> text.equals("block") || text.equals("count"));
      case "idempotencyKey" ->
        idempotencyKey = Optional.of(text(name, "1 to 255 characters", KEY.asMatchPredicate()));
      case "body" ->
        body = json.currentToken() == JsonToken.VALUE_NULL
            ? Buffer.buffer()
            : Buffer.buffer(JsonText.copied(json));
      case "headers" -> headers();
      case "parameters" -> parameters();
      default -> {
        mistakes.add(
            "%s.%s".formatted(at, Mistakes.shown(name)),
            "unknown (expected: body, charge, headers, idempotencyKey, method, parameters, path)");
        json.skipChildren();
      }
    }
  }

  private void headers() throws IOException, BadBatchException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      wrong("headers", "an object");
      json.skipChildren();
      return;
    }
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      boolean isText = json.nextToken() == JsonToken.VALUE_STRING;
      boolean isRight = HEADER.matcher(name).matches()
          && !NOT_AN_ITEMS.contains(name.toLowerCase(Locale.ROOT))
          && isText
          && VALUE.matcher(json.getText()).matches();
      if (!isRight) {
        wrong("headers." + Mistakes.shown(name), "a text, and no header of the batch itself");
        json.skipChildren();
      } else if (headers.size() == MAX_HEADERS) {
        wrong("headers", "at most " + MAX_HEADERS);
      } else {
        headers.put(name, json.getText());
      }
    }
  }

  private void parameters() throws IOException, BadBatchException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      wrong("parameters", "an object");
      json.skipChildren();
      return;
    }
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      Optional<Parameter> parameter = parameter();
      if (NAME.matcher(name).matches() && parameter.isPresent()) {
        parameters.put(name, parameter.get());
      } else {
        wrong(
            "parameters." + Mistakes.shown(name),
            "a text of at most 1000 characters, a number or a reference");
      }
    }
  }

  private Optional<Parameter> parameter() throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_STRING || token.isNumeric()) {
      return json.getTextLength() > MAX_PARAMETER
          ? Optional.empty()
          : Optional.of(new Parameter.Text(json.getText()));
    }
    if (token != JsonToken.START_OBJECT) {
      json.skipChildren();
      return Optional.empty();
    }
    ReferenceReader reference = new ReferenceReader();
    boolean isReference = true;
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      json.nextToken();
      isReference &= reference.reads(name, json);
      json.skipChildren();
    }
    return isReference && reference.isWhole() ? Optional.of(reference.from()) : Optional.empty();
  }

  private String text(String name, String expected, Predicate<String> isRight)
      throws IOException, BadBatchException {
    if (json.currentToken() == JsonToken.VALUE_STRING
        && json.getTextLength() <= 4 * MAX_POINTER
        && isRight.test(json.getText())) {
      return json.getText();
    }
    json.skipChildren();
    return wrong(name, expected);
  }

  private String wrong(String name, String expected) throws BadBatchException {
    mistakes.add(at + "." + name, "(expected: %s)".formatted(expected));
    return "";
  }
}
