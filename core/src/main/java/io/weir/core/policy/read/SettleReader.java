package io.weir.core.policy.read;

import io.weir.core.policy.CostRule;
import io.weir.core.policy.Refunds;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads how the cost of an operation is determined after it is done. */
final class SettleReader {
  private static final Field<String> HEADER = Field.text(
      "header",
      RequestParts.HEADER,
      "the name of a header",
      "the header of the answer with the cost");
  private static final Field<String> TRAILER = Field.text(
      "trailer",
      RequestParts.HEADER,
      "the name of a trailer",
      "the trailer of the answer with the cost");
  private static final Field<String> JSON = Field.text(
      "json",
      RequestParts.POINTER,
      "a JSON pointer such as /usage/total_tokens",
      "the field of the answer with the cost; in a stream of events, of the last event that has it");
  private static final Field<SettleRule.Source> USAGE = Field.choice(
      "usage",
      Words.of("openai", SettleRule.Source.OPENAI, "anthropic", SettleRule.Source.ANTHROPIC),
      "the usage objects of these interfaces, streams included");
  private static final Field<Long> LEASE = Field.duration(
          "lease",
          Duration.ofSeconds(1),
          Duration.ofHours(1),
          "how long the reservation waits for the cost if its node dies")
      .or(60_000L);
  private static final Field<Boolean> ON_EXPIRY = Field.choice(
          "onExpiry",
          Words.of("refund", true, "keep", false),
          "what then becomes of the first charge")
      .or(true);
  private static final Field<Boolean> ON_FAILURE = Field.choice(
          "onFailure",
          Words.of("keep", false, "refund", true),
          "what becomes of the first charge if the answer is 400 or above, or the upstream gives none, and the cost is not"
              + " in the answer. A request that was not executed (no connection, 401, 402, 403, 429) is given it back in"
              + " any case, one whose caller hangs up is not")
      .or(false);
  private static final Field<List<Section.Item>> STATUSES = Field.numerals(
          "statuses",
          Pattern.compile("[2-5][0-9]{2}"),
          200,
          599,
          "a status such as 200",
          "the statuses of answers that are charged, such as `[200, 201]`; with any other, and without an answer, nothing"
              + " is (default: all)")
      .atMost(20, "too_many_statuses");
  private static final Field<Long> AT_LEAST = Field.percent(
          "atLeast",
          1,
          100,
          "callers that request more than they use are charged the moving average of their usage, at least this share of"
              + " the requested cost")
      .or(100L);
  private static final Field<Long> DIVISOR = Field.number(
          "divisor",
          1,
          CostRule.MAX_DIVISOR,
          "how much of the number in the answer is one operation, rounded up")
      .or(1L);
  private static final Table TABLE = Table.of(
      "settle",
      HEADER,
      TRAILER,
      JSON,
      USAGE,
      LEASE,
      ON_EXPIRY,
      ON_FAILURE,
      STATUSES,
      AT_LEAST,
      DIVISOR);

  /** The settlement of an operation. */
  static final Field<Section> SETTLE = Field.section(
      "settle",
      TABLE,
      "the first charge is an estimate, replaced by the actual cost; with none of the first four fields the service that"
          + " reserved [reports](http.md#post-v1reservations) it; of a [job](../how-to/jobs.md#what-is-promised) its end"
          + " replaces it");

  private SettleReader() {}

  static Optional<SettleRule> read(Section section) {
    Map<SettleRule.Source, String> sources = sources(section);
    SettleRule.Source source = SettleRule.Source.CALLER;
    String name = "";
    long leaseMicros = section.micros(LEASE);
    Refunds refunds = refunds(section);
    int least = section.count(AT_LEAST);
    Optional<Long> divisor = section.find(DIVISOR);
    if (sources.isEmpty() && divisor.isPresent()) {
      section.error(
          "settle_ambiguous",
          "divisor",
          "without a source (expected: beside header, trailer, json or usage)");
    }
    if (sources.size() > 1) {
      section.error(
          "settle_ambiguous",
          "%d sources (expected: one of header, trailer, json, usage, or none)"
              .formatted(sources.size()));
      return Optional.empty();
    }
    for (Map.Entry<SettleRule.Source, String> only : sources.entrySet()) {
      source = only.getKey();
      name = only.getValue();
    }
    return Optional.of(
        new SettleRule(source, name, leaseMicros, refunds, least, section.get(DIVISOR)));
  }

  private static Refunds refunds(Section section) {
    Set<Integer> charged = section.get(STATUSES).stream()
        .map(status -> Integer.valueOf(status.text()))
        .collect(Collectors.toSet());
    return new Refunds(section.get(ON_EXPIRY), section.get(ON_FAILURE), charged);
  }

  private static Map<SettleRule.Source, String> sources(Section section) {
    Map<SettleRule.Source, String> sources = new LinkedHashMap<>();
    section.find(HEADER).ifPresent(name -> sources.put(SettleRule.Source.HEADER, name));
    section.find(TRAILER).ifPresent(name -> sources.put(SettleRule.Source.TRAILER, name));
    section.find(JSON).ifPresent(name -> sources.put(SettleRule.Source.JSON, name));
    section.find(USAGE).ifPresent(source -> sources.put(source, ""));
    return sources;
  }
}
