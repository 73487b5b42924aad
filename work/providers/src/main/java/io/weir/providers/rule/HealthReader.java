package io.weir.providers.rule;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the health checks of an upstream. */
final class HealthReader {
  private static final Field<String> PATH = Field.text(
          "path",
          Pattern.compile("/[\\x21\\x22\\x24-\\x7e]{0,255}"),
          "a path such as /health, of at most 256 characters",
          "such as `/health`, with a query if it needs one")
      .required();
  private static final Field<Long> INTERVAL = Field.duration(
          "interval",
          Duration.ofMillis(500),
          Duration.ofMinutes(10),
          "from one check of a provider to the next")
      .or(5000L);
  private static final Field<Long> TIMEOUT = Field.duration(
          "timeout", Duration.ofMillis(10), Duration.ofMinutes(1), "how long an answer may take")
      .or(2000L);
  private static final Field<Long> UNHEALTHY = Field.number(
          "unhealthy",
          1,
          100,
          "number of failed checks in a row that open its breaker, and keep it open")
      .or(3L);
  private static final Field<Long> HEALTHY =
      Field.number("healthy", 1, 100, "number of good checks that close it").or(2L);
  private static final Field<List<Item>> STATUSES = Field.numerals(
          "statuses",
          Pattern.compile("[1-5][0-9]{2}"),
          100,
          599,
          "a status such as 200",
          "the statuses of a good check, such as `[200, 401]`; default: 200 to 299")
      .atMost(20, "too_many_statuses");

  /** The health checks of an upstream. */
  static final Field<Section> HEALTH = Field.section(
      "health",
      Table.of("health", PATH, INTERVAL, TIMEOUT, UNHEALTHY, HEALTHY, STATUSES),
      "[health checks](#health)");

  private HealthReader() {}

  static Optional<HealthRule> read(Section upstream) {
    return upstream
        .find(HEALTH)
        .map(section -> new HealthRule(
            section.find(PATH).orElse("/"),
            section.get(INTERVAL),
            section.get(TIMEOUT),
            section.count(HEALTHY),
            section.count(UNHEALTHY),
            section.get(STATUSES).stream()
                .map(status -> Integer.valueOf(status.text()))
                .collect(Collectors.toSet())));
  }
}
