package io.weir.node.json;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The fields of a small object, and their mistakes. Mutable; for one body. */
public final class BodyFields {
  private static final int MAX_SHOWN = 40;

  private final String code;
  private final JsonObject json;
  private final List<String> mistakes = new ArrayList<>(0);

  /**
   * Reads a body.
   *
   * @param known the fields that it may have
   * @param code of the problem if there are mistakes
   */
  public BodyFields(Buffer body, Set<String> known, String code) {
    this.code = code;
    this.json = read(body, code);
    json.fieldNames().stream()
        .filter(name -> !known.contains(name))
        .map(name -> "%s: no such field (expected: %s)"
            .formatted(shortened(name), known.stream().sorted().collect(Collectors.joining(", "))))
        .limit(MAX_SHOWN)
        .forEach(mistakes::add);
  }

  private static JsonObject read(Buffer body, String code) {
    try {
      return JsonInput.object(body);
    } catch (DecodeException e) {
      throw refused(code, List.of(JsonInput.mistake(e.getMessage())));
    }
  }

  /** Requires the field. */
  public void require(String field) {
    if (!json.containsKey(field)) {
      mistakes.add(field + ": nothing (expected: a value)");
    }
  }

  /** A text, if the field is present. */
  public Optional<String> text(String field, Predicate<String> accepts, String expected) {
    Object value = json.getValue(field);
    if (value instanceof String text && accepts.test(text)) {
      return Optional.of(text);
    }
    if (json.containsKey(field)) {
      mistakes.add("%s: (expected: %s)".formatted(field, expected));
    }
    return Optional.empty();
  }

  /** A whole number, if the field is present. */
  public OptionalLong whole(String field, long min, long max) {
    Object value = json.getValue(field);
    boolean isWhole = value instanceof Integer || value instanceof Long;
    if (isWhole && ((Number) value).longValue() >= min && ((Number) value).longValue() <= max) {
      return OptionalLong.of(((Number) value).longValue());
    }
    if (json.containsKey(field)) {
      mistakes.add("%s: %s (expected: a whole number from %d to %d)"
          .formatted(field, shown(value), min, max));
    }
    return OptionalLong.empty();
  }

  /** Texts by name; empty if the field is absent. */
  public Map<String, String> texts(String field, int most) {
    if (!json.containsKey(field)) {
      return Map.of();
    }
    Map<String, String> texts = new HashMap<>();
    if (json.getValue(field) instanceof JsonObject object && object.size() <= most) {
      object.forEach(one -> {
        if (one.getValue() instanceof String text) {
          texts.put(one.getKey(), text);
        }
      });
      if (texts.size() == object.size()) {
        return texts;
      }
    }
    mistakes.add("%s: (expected: an object of at most %d texts)".formatted(field, most));
    return Map.of();
  }

  /** Throws {@link RefusedException} with all mistakes, if there are any. */
  public void refuseMistakes() {
    if (!mistakes.isEmpty()) {
      throw refused(code, mistakes);
    }
  }

  private static RefusedException refused(String code, List<String> mistakes) {
    return new RefusedException(ProblemDetails.badRequest(code, mistakes));
  }

  // A text has quotes: "1" is not 1.
  private static String shown(@Nullable Object value) {
    if (value instanceof String text) {
      return '"' + shortened(text) + '"';
    }
    boolean isScalar = value == null || value instanceof Number || value instanceof Boolean;
    return isScalar ? shortened(String.valueOf(value)) : "something else";
  }

  private static String shortened(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }
}
