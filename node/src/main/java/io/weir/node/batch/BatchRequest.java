package io.weir.node.batch;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A batch as it was asked for.
 *
 * @param items in the order in which they are executed
 * @param earlier what is told of the first of them: they have been executed
 */
record BatchRequest(List<Item> items, List<JsonObject> earlier) {
  static final int MAX_ITEMS = 256;
  private static final int MAX_HEADERS = 50;

  private static final Pattern METHOD = Pattern.compile("[A-Z]{3,20}");
  private static final Pattern PATH = Pattern.compile("/[\\x21-\\x7e]{0,2000}");
  // RFC 9110, section 5.6.2
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]{0,4000}");
  private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,64}");
  // What tells who asks, and how the request travels, is the batch's own.
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
      "idempotency-key",
      "weir-batch");

  /**
   * An operation.
   *
   * @param parameters what stands for the names in braces of the path
   * @param body JSON, in which references are replaced; null for none
   * @param isCounted whether it goes on with what was admitted: counted, not rejected
   */
  record Item(
      String method,
      String path,
      Map<String, String> headers,
      Map<String, Object> parameters,
      @Nullable Object body,
      Optional<String> idempotencyKey,
      boolean isCounted) {}

  /** What is wrong with a batch, all of it. */
  static final class BadBatchException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> mistakes;

    BadBatchException(List<String> mistakes) {
      super(String.join("; ", mistakes), null, false, false);
      this.mistakes = List.copyOf(mistakes);
    }

    List<String> mistakes() {
      return mistakes;
    }
  }

  /** Reads {@code {"items": […]}}, or {@code {"batch": {"items": […]}, "answer": {"results": […]}}}. */
  static BatchRequest parse(Buffer body) throws BadBatchException {
    List<String> mistakes = new ArrayList<>();
    BatchRequest request = new Reader(mistakes).batch(body);
    if (!mistakes.isEmpty()) {
      throw new BadBatchException(mistakes);
    }
    return request;
  }

  private record Reader(List<String> mistakes) {
    BatchRequest batch(Buffer body) {
      JsonObject json;
      try {
        json = body.toJsonObject();
      } catch (DecodeException | ClassCastException e) {
        mistakes.add("the body is no JSON object");
        return new BatchRequest(List.of(), List.of());
      }
      boolean goesOn = json.containsKey("batch");
      refuseUnknown(json, "", goesOn ? Set.of("batch", "answer") : Set.of("items"));
      JsonObject batch = goesOn ? object(json, "batch", "") : json;
      JsonObject answer = goesOn ? object(json, "answer", "") : new JsonObject();
      List<Item> items = items(batch, goesOn ? "batch." : "");
      return new BatchRequest(items, earlier(answer, items.size()));
    }

    private List<Item> items(JsonObject batch, String place) {
      Object value = batch.getValue("items");
      if (!(value instanceof JsonArray array) || array.isEmpty() || array.size() > MAX_ITEMS) {
        mistakes.add("%sitems: (expected: a list of 1 to %d)".formatted(place, MAX_ITEMS));
        return List.of();
      }
      List<Item> items = new ArrayList<>();
      for (int i = 0; i < array.size(); i++) {
        String at = "%sitems[%d]".formatted(place, i);
        if (array.getValue(i) instanceof JsonObject item) {
          items.add(item(item, at + "."));
        } else {
          mistakes.add(at + ": (expected: an object)");
        }
      }
      return items;
    }

    private Item item(JsonObject json, String at) {
      refuseUnknown(
          json,
          at,
          Set.of("method", "path", "parameters", "headers", "body", "idempotencyKey", "charge"));
      String charge = text(
          json,
          "charge",
          at,
          "block or count",
          "block",
          value -> value.equals("block") || value.equals("count"));
      return new Item(
          text(
              json,
              "method",
              at,
              "a method in upper case",
              null,
              METHOD.asMatchPredicate().and(method -> !method.equals("CONNECT"))),
          text(json, "path", at, "a path that begins with /", null, PATH.asMatchPredicate()),
          headers(json, at),
          parameters(json, at),
          json.getValue("body"),
          Optional.of(text(
                  json, "idempotencyKey", at, "1 to 255 characters", "", KEY.asMatchPredicate()))
              .filter(key -> !key.isEmpty()),
          charge.equals("count"));
    }

    private Map<String, String> headers(JsonObject json, String at) {
      Map<String, String> headers = new LinkedHashMap<>();
      JsonObject all = object(json, "headers", at);
      if (all.size() > MAX_HEADERS) {
        mistakes.add("%sheaders: %d (expected: at most %d)".formatted(at, all.size(), MAX_HEADERS));
        return headers;
      }
      all.forEach(header -> {
        String name = header.getKey();
        boolean isRight = HEADER.matcher(name).matches()
            && !NOT_AN_ITEMS.contains(name.toLowerCase(Locale.ROOT))
            && header.getValue() instanceof String value
            && VALUE.matcher(value).matches();
        if (isRight) {
          headers.put(name, (String) header.getValue());
        } else {
          mistakes.add("%sheaders.%s: (expected: a text, and no header of the batch itself)"
              .formatted(at, shown(name)));
        }
      });
      return headers;
    }

    private Map<String, Object> parameters(JsonObject json, String at) {
      Map<String, Object> parameters = new LinkedHashMap<>();
      object(json, "parameters", at).forEach(parameter -> {
        Object value = parameter.getValue();
        boolean isRight = NAME.matcher(parameter.getKey()).matches()
            && (value instanceof String || value instanceof Number || value instanceof JsonObject);
        if (isRight) {
          parameters.put(parameter.getKey(), value);
        } else {
          mistakes.add("%sparameters.%s: (expected: a text, a number or a reference)"
              .formatted(at, shown(parameter.getKey())));
        }
      });
      return parameters;
    }

    // Only the first of them that were executed: what comes after has to be.
    private List<JsonObject> earlier(JsonObject answer, int items) {
      Object value = answer.getValue("results", new JsonArray());
      if (!(value instanceof JsonArray results) || results.size() > items) {
        mistakes.add("answer.results: (expected: a list, no longer than the items)");
        return List.of();
      }
      List<JsonObject> earlier = new ArrayList<>();
      for (Object result : results) {
        if (!(result instanceof JsonObject json)) {
          mistakes.add("answer.results[%d]: (expected: an object)".formatted(earlier.size()));
          return earlier;
        }
        if (!BatchResult.isExecuted(json)) {
          break;
        }
        earlier.add(json);
      }
      return earlier;
    }

    private JsonObject object(JsonObject json, String name, String at) {
      Object value = json.getValue(name);
      if (value instanceof JsonObject object) {
        return object;
      }
      if (value != null) {
        mistakes.add("%s%s: (expected: an object)".formatted(at, name));
      }
      return new JsonObject();
    }

    private String text(
        JsonObject json,
        String name,
        String at,
        String expected,
        @Nullable String fallback,
        Predicate<String> isRight) {
      Object value = json.getValue(name);
      if (value == null && fallback != null) {
        return fallback;
      }
      if (value instanceof String text && isRight.test(text)) {
        return text;
      }
      mistakes.add("%s%s: (expected: %s)".formatted(at, name, expected));
      return "";
    }

    private void refuseUnknown(JsonObject json, String at, Set<String> known) {
      for (String name : json.fieldNames()) {
        if (!known.contains(name)) {
          mistakes.add("%s%s: unknown (expected: %s)"
              .formatted(
                  at, shown(name), String.join(", ", known.stream().sorted().toList())));
        }
      }
    }

    private static String shown(String name) {
      return name.length() <= 40 ? name : name.substring(0, 40) + "…";
    }
  }
}
