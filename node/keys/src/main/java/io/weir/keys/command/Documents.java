package io.weir.keys.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Flag;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import io.weir.core.policy.schema.DocumentValue.Numeral;
import io.weir.core.policy.schema.DocumentValue.Sequence;
import io.weir.core.policy.schema.DocumentValue.Text;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads values of documents. */
final class Documents {
  private Documents() {}

  /** The same as JSON. */
  static JsonObject json(Mapping mapping) {
    JsonObject json = new JsonObject();
    mapping.entries().forEach((name, one) -> json.put(name, plain(one)));
    return json;
  }

  /** A value as one of JSON. */
  static @Nullable Object plain(DocumentValue value) {
    if (value instanceof Mapping mapping) {
      return json(mapping);
    }
    if (value instanceof Sequence list) {
      JsonArray json = new JsonArray();
      list.items().forEach(one -> json.add(plain(one)));
      return json;
    }
    if (value instanceof Text text) {
      return text.value();
    }
    if (value instanceof Flag flag) {
      return flag.value();
    }
    return value instanceof Numeral numeral ? new BigDecimal(numeral.digits()) : null;
  }

  /**
   * The items of a list; none if the field is absent.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static List<DocumentValue> items(Mapping mapping, String field) {
    DocumentValue value = mapping.entries().getOrDefault(field, new Nothing(mapping.position()));
    if (value instanceof Sequence list) {
      return list.items();
    }
    if (value instanceof Nothing) {
      return List.of();
    }
    throw new IllegalArgumentException(
        "line %d: %s: (expected: a list)".formatted(value.line(), field));
  }

  /** A text, or a number as it was written. */
  static Optional<String> text(@Nullable DocumentValue value) {
    if (value instanceof Numeral numeral) {
      return Optional.of(numeral.digits());
    }
    return value instanceof Text text ? Optional.of(text.value()) : Optional.empty();
  }

  /** The same of a field. */
  static Optional<String> text(Mapping mapping, String field) {
    return text(mapping.entries().get(field));
  }
}
