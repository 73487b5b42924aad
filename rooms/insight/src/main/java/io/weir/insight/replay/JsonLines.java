package io.weir.insight.replay;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Lines that are JSON objects. Times are seconds since the epoch, milliseconds, microseconds or nanoseconds (told by
 * their size), or ISO 8601. Immutable.
 */
final class JsonLines implements LineFormat {
  /** What is read, with the usual names. */
  static final Map<String, String> FIELDS = fields();

  // The year 5138 in seconds; 1973 in milliseconds, microseconds and nanoseconds.
  private static final BigDecimal LEAST_MILLIS = BigDecimal.valueOf(100_000_000_000L);
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
  private static final long MICROS_PER_SECOND = 1_000_000;

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
  public boolean isOfWholeSeconds() {
    return false;
  }

  @Override
  public Optional<LogLine> read(String line) {
    try {
      JsonObject json = JsonInput.object(line);
      Optional<Long> time = Optional.ofNullable(member(json, "time")).flatMap(JsonLines::micros);
      Optional<String> key = text(json, "key");
      if (time.isEmpty() || key.isEmpty()) {
        return Optional.empty();
      }
      Object cost = member(json, "cost");
      return Optional.of(new LogLine(
          time.get(),
          key.get(),
          text(json, "method").orElse("GET").toUpperCase(Locale.ROOT),
          text(json, "path").orElse("/"),
          text(json, "operation"),
          cost instanceof Number number && number.longValue() > 0
              ? OptionalLong.of(number.longValue())
              : OptionalLong.empty()));
    } catch (DecodeException e) {
      return Optional.empty();
    }
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

  private static Optional<Long> micros(Object time) {
    try {
      if (time instanceof Number number) {
        return Optional.of(micros(new BigDecimal(number.toString())));
      }
      String text = time.toString();
      if (text.matches("\\d{1,19}(\\.\\d{1,9})?")) {
        return Optional.of(micros(new BigDecimal(text)));
      }
      Instant instant = OffsetDateTime.parse(text).toInstant();
      return Optional.of(instant.getEpochSecond() * MICROS_PER_SECOND + instant.getNano() / 1000);
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static long micros(BigDecimal number) {
    BigDecimal seconds = number;
    for (int i = 0; i < 3 && seconds.compareTo(LEAST_MILLIS) >= 0; i++) {
      seconds = seconds.divide(THOUSAND);
    }
    return seconds.movePointRight(6).longValue();
  }
}
