package io.weir.node.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.pointer.JsonPointer;
import io.weir.node.answer.ProblemDetails;
import io.weir.policy.CostRule;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds what a request costs. */
final class CostReader {
  private static final Pattern WHOLE = Pattern.compile("[0-9]{1,16}");

  private static final int MAX_PARAMETERS = 1000;

  private CostReader() {}

  /** Whether the rule looks into the body. */
  static boolean needsBody(CostRule rule) {
    return rule instanceof CostRule.Read read && read.source() == CostRule.Source.JSON;
  }

  /**
   * The cost in operations.
   *
   * @param body the whole body where the rule needs it
   * @throws BadCostException where the request names none, or a wrong one
   */
  static long cost(CostRule rule, HttpServerRequest request, Optional<Buffer> body) {
    if (rule instanceof CostRule.Fixed fixed) {
      return fixed.cost();
    }
    CostRule.Read read = (CostRule.Read) rule;
    List<String> values = switch (read.source()) {
      case HEADER -> request.headers().getAll(read.name());
      case QUERY -> fromQuery(request, read.name());
      case JSON -> fromJson(body.orElseGet(Buffer::buffer), read.name());
    };
    if (values.isEmpty() && read.fallback().isPresent()) {
      return read.fallback().getAsLong();
    }
    return parse(values, read);
  }

  private static List<String> fromQuery(HttpServerRequest request, String name) {
    String query = Optional.ofNullable(request.query()).orElse("");
    // The decoder reads no more than that, and an upstream may.
    if (query.chars().filter(c -> c == '&' || c == ';').count() >= MAX_PARAMETERS) {
      throw new BadCostException(
          "query: too many parameters (expected: at most %d)".formatted(MAX_PARAMETERS));
    }
    try {
      return request.params().getAll(name);
    } catch (IllegalArgumentException e) {
      throw new BadCostException(
          "query: a broken escape (expected: percent and two hexadecimal digits)");
    }
  }

  private static List<String> fromJson(Buffer body, String pointer) {
    if (body.length() == 0) {
      return List.of();
    }
    try {
      Object value = JsonPointer.from(pointer).queryJson(Json.decodeValue(body));
      return value == null ? List.of() : List.of(value.toString());
    } catch (DecodeException e) {
      throw new BadCostException("the body is no JSON (expected: a cost at %s)".formatted(pointer));
    }
  }

  private static long parse(List<String> values, CostRule.Read read) {
    String where = "%s %s".formatted(read.source().name().toLowerCase(Locale.ROOT), read.name());
    String expected = "(expected: one whole number from 1 to %d)".formatted(read.max());
    if (values.size() != 1) {
      throw new BadCostException("%s: %d costs %s".formatted(where, values.size(), expected));
    }
    String value = values.get(0);
    long cost = WHOLE.matcher(value).matches() ? Long.parseLong(value) : 0;
    if (cost < 1 || cost > read.max()) {
      String shown = value.length() <= 40 ? value : value.substring(0, 40) + "…";
      throw new BadCostException("%s: '%s' %s".formatted(where, shown, expected));
    }
    return cost;
  }

  /** A request without a usable cost. */
  static final class BadCostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadCostException(String message) {
      super(message, null, false, false);
    }

    ProblemDetails problem() {
      return ProblemDetails.badRequest("cost_invalid", List.of(String.valueOf(getMessage())));
    }
  }
}
