package io.weir.operators.replay;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import io.weir.operators.replay.LineReading.Frame;
import io.weir.operators.replay.LineReading.Request;
import io.weir.operators.replay.LineReading.Strange;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Lines that are JSON objects. Times are seconds since the epoch, milliseconds, microseconds or nanoseconds (told by
 * their size), of ISO 8601, or of the common log format. Lines may be those of an array. Immutable.
 */
final class JsonLines implements LineFormat {
  static final Strange NO_OBJECT = new Strange("no JSON object");
  static final Strange NO_TIME = new Strange("no time");
  static final Strange NO_TARGET = new Strange("no path and no operation");

  /** The fields that are read, with the usual names. */
  static final Map<String, String> FIELDS = fields();

  // The year 5138 in seconds; 1973 in milliseconds, microseconds and nanoseconds.
  private static final BigDecimal LEAST_MILLIS = BigDecimal.valueOf(100_000_000_000L);
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

  private final Map<String, String> names;

  /** @param names of members, with a point before a member of a member; for those of {@link #FIELDS} that differ */
  JsonLines(Map<String, String> names) {
    Map<String, String> all = new LinkedHashMap<>(FIELDS);
    all.putAll(names);
    this.names = Map.copyOf(all);
  }

  private static Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    List.of("time", "key", "method", "path", "operation", "cost")
        .forEach(name -> fields.put(name, name));
    return fields;
  }

  @Override
  public LineReading read(String line) {
    String item = line.strip();
    if (item.equals("[") || item.equals("]")) {
      return new Frame();
    }
    try {
      // Lines of an array have a comma at their end.
      return read(
          JsonInput.object(item.endsWith(",") ? item.substring(0, item.length() - 1) : item));
    } catch (DecodeException e) {
      return NO_OBJECT;
    }
  }

  private LineReading read(JsonObject json) {
    Object at = member(json, "time");
    Optional<LogTime> time = Optional.ofNullable(at).flatMap(JsonLines::time);
    if (time.isEmpty()) {
      return at == null ? NO_TIME : CommonLines.TIME;
    }
    Optional<String> key =
        text(json, "key").filter(name -> !name.equals("-")).map(CommonLines::caller);
    if (key.isEmpty()) {
      return CommonLines.NO_CALLER;
    }
    Optional<String> operation = text(json, "operation");
    Optional<RequestLine> request =
        request(json).or(() -> operation.flatMap(named -> RequestLine.of("GET", "/")));
    return request
        .<LineReading>map(
            one -> new Request(new LogLine(time.get(), key.get(), one, operation, cost(json))))
        .orElse(NO_TARGET);
  }

  // The member for the path may have the whole request line: GET /path HTTP/1.1.
  private Optional<RequestLine> request(JsonObject json) {
    Optional<String> path = text(json, "path");
    String method = text(json, "method").orElse("GET");
    return path.flatMap(
        text -> text.indexOf(' ') > 0 ? RequestLine.parse(text) : RequestLine.of(method, text));
  }

  private OptionalLong cost(JsonObject json) {
    return member(json, "cost") instanceof Number number && number.longValue() > 0
        ? OptionalLong.of(number.longValue())
        : OptionalLong.empty();
  }

  private Optional<String> text(JsonObject json, String field) {
    Object value = member(json, field);
    return value instanceof String || value instanceof Number
        ? Optional.of(value.toString()).filter(text -> !text.isEmpty())
        : Optional.empty();
  }

  private @Nullable Object member(JsonObject json, String field) {
    String name = names.getOrDefault(field, field);
    Object whole = json.getValue(name);
    if (whole != null) {
      return whole;
    }
    Object value = json;
    for (String part : name.split("\\.", -1)) {
      value = value instanceof JsonObject object ? object.getValue(part) : null;
    }
    return value;
  }

  private static Optional<LogTime> time(Object time) {
    String text = time.toString();
    boolean isNumber = time instanceof Number || text.matches("\\d{1,19}(\\.\\d{1,9})?");
    try {
      return isNumber ? Optional.of(time(new BigDecimal(text))) : LogTime.text(text);
    } catch (ArithmeticException | NumberFormatException e) {
      return Optional.empty(); // out of every range, or infinite
    }
  }

  private static LogTime time(BigDecimal number) {
    BigDecimal seconds = number;
    for (int i = 0; i < 3 && seconds.compareTo(LEAST_MILLIS) >= 0; i++) {
      seconds = seconds.divide(THOUSAND);
    }
    boolean isWholeSecond =
        number.compareTo(LEAST_MILLIS) < 0 && number.stripTrailingZeros().scale() <= 0;
    BigDecimal micros = seconds.movePointRight(6).setScale(0, RoundingMode.DOWN);
    return new LogTime(micros.longValueExact(), isWholeSecond);
  }
}
