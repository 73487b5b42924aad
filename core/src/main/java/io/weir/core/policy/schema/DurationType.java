package io.weir.core.policy.schema;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A duration such as 250ms, 10s, 5m, 24h or 7d; the value is in milliseconds. */
record DurationType(long minMillis, long maxMillis) implements FieldType<Long> {
  @Override
  public Optional<Long> read(DocumentValue value, At at) {
    Optional<Long> millis = ParsedType.text(value)
        .flatMap(DurationText::parse)
        .map(Duration::toMillis)
        .filter(length -> length >= minMillis && length <= maxMillis);
    if (millis.isEmpty()) {
      at.invalid(value, expected());
    }
    return millis;
  }

  @Override
  public String expected() {
    return "a duration such as 250ms, 10s, 5m or 24h, from %s to %s"
        .formatted(written(minMillis), written(maxMillis));
  }

  @Override
  public String bounds() {
    return "%s to %s".formatted(written(minMillis), written(maxMillis));
  }

  @Override
  public Object written(Long millis) {
    return DurationText.of(Duration.ofMillis(millis));
  }

  @Override
  public Map<String, Object> schema(JsonSchema.Definitions definitions) {
    return JsonSchema.of("type", "string", "pattern", "^%s$".formatted(DurationText.PATTERN));
  }
}
