package io.weir.node.admission;

import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.CostRule;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.HeaderNames;
import io.weir.node.intake.HopByHop;
import io.weir.node.json.JsonLookup;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Finds the cost of a request. */
final class CostReader {
  private static final Pattern WHOLE = Pattern.compile("[0-9]{1,16}");

  private CostReader() {}

  /** Whether the rule reads the body. */
  static boolean needsBody(CostRule rule) {
    return rule instanceof CostRule.Read read
        && read.source() != CostRule.Source.HEADER
        && read.source() != CostRule.Source.QUERY;
  }

  /**
   * The cost in operations.
   *
   * @param body the whole body if the rule needs it
   * @throws RefusedException if the request names no cost, or an invalid one
   */
  static long cost(CostRule rule, Request request, Optional<Buffer> body) {
    if (rule instanceof CostRule.Fixed fixed) {
      return fixed.cost();
    }
    CostRule.Read read = (CostRule.Read) rule;
    List<String> values = values(read.source(), read.name(), request, body);
    if (values.isEmpty() && read.fallback().isPresent()) {
      return read.fallback().getAsLong();
    }
    return parse(values, read);
  }

  /**
   * The values that a request has at this place.
   *
   * @throws RefusedException if the request can be read in more than one way
   */
  static List<String> values(
      CostRule.Source source, String name, Request request, Optional<Buffer> body) {
    return switch (source) {
      case HEADER -> fromHeader(request, name);
      case QUERY -> fromQuery(request, name);
      case JSON -> fromJson(body.orElseGet(Buffer::buffer), name);
      case COUNT -> fromList(body.orElseGet(Buffer::buffer), name);
      case BODY -> List.of(fromLength(body.orElseGet(Buffer::buffer), name));
    };
  }

  // A header that Connection lists is for this hop alone: the upstream would not see it.
  private static List<String> fromHeader(Request request, String name) {
    if (HopByHop.isNamed(name, request.headers())) {
      throw bad("header %s: named by Connection (expected: not so)".formatted(name));
    }
    for (Map.Entry<String, String> header : request.headers()) {
      if (HeaderNames.isSame(header.getKey(), name) && !header.getKey().equalsIgnoreCase(name)) {
        throw bad("header %s: also with underscores (expected: one that all servers read alike)"
            .formatted(name));
      }
    }
    return request.headers().getAll(name);
  }

  // Some servers end a parameter at a semicolon, most do not.
  private static List<String> fromQuery(Request request, String name) {
    List<String> values = parameters(request.query(), "&", name);
    if (!values.equals(parameters(request.query(), "[&;]", name))) {
      throw bad("query %s: beside a semicolon (expected: one that all servers read alike)"
          .formatted(name));
    }
    return values;
  }

  private static List<String> parameters(String query, String separators, String name) {
    List<String> values = new ArrayList<>(1);
    for (String parameter : query.split(separators, -1)) {
      int equals = parameter.indexOf('=');
      String before = equals < 0 ? parameter : parameter.substring(0, equals);
      if (decoded(before).equals(name)) {
        values.add(equals < 0 ? "" : decoded(parameter.substring(equals + 1)));
      }
    }
    return values;
  }

  private static String decoded(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
      return text;
    }
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad("query: a broken escape (expected: percent and two hexadecimal digits)");
    }
  }

  private static String fromLength(Buffer body, String bytes) {
    long unit = Long.parseLong(bytes);
    return Long.toString(Math.max(1, (body.length() + unit - 1) / unit));
  }

  private static List<String> fromJson(Buffer body, String pointer) {
    if (body.length() == 0) {
      return List.of();
    }
    try {
      return JsonLookup.scalar(body.getBytes(), pointer).map(List::of).orElse(List.of());
    } catch (JsonLookup.BadJsonException e) {
      throw bad("%s (expected: a cost at %s)".formatted(e.getMessage(), pointer));
    }
  }

  private static List<String> fromList(Buffer body, String pointer) {
    if (body.length() == 0) {
      return List.of();
    }
    try {
      OptionalLong count = JsonLookup.count(body.getBytes(), pointer);
      return count.isEmpty() ? List.of() : List.of(Long.toString(Math.max(1, count.getAsLong())));
    } catch (JsonLookup.BadJsonException e) {
      throw bad("%s (expected: a list at '%s')".formatted(e.getMessage(), pointer));
    }
  }

  private static long parse(List<String> values, CostRule.Read read) {
    String where = "%s %s".formatted(read.source().name().toLowerCase(Locale.ROOT), read.name());
    String expected = "(expected: one whole number from 1 to %d)".formatted(read.max());
    if (values.size() != 1) {
      throw bad("%s: %d costs %s".formatted(where, values.size(), expected));
    }
    String value = values.get(0);
    long cost = WHOLE.matcher(value).matches() ? Long.parseLong(value) : 0;
    if (cost < 1 || cost > read.max()) {
      String shown = value.length() <= 40 ? value : value.substring(0, 40) + "…";
      throw bad("%s: '%s' %s".formatted(where, shown, expected));
    }
    return read.operations(cost);
  }

  private static RefusedException bad(String mistake) {
    return new RefusedException(ProblemDetails.badRequest("cost_invalid", List.of(mistake)));
  }
}
