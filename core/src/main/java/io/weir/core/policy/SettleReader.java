package io.weir.core.policy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

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
      "the field of the answer with the cost; of a stream of events the last one that has it");
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
  private static final Field<Long> AT_LEAST = Field.number(
          "atLeast",
          1,
          100,
          "callers that request more than they use are charged the moving average of their usage, at least this percentage"
              + " of the requested cost")
      .or(100L);
  private static final Field<Long> DIVISOR = Field.number(
          "divisor",
          1,
          CostRule.MAX_DIVISOR,
          "how much of the number in the answer is one operation, rounded up")
      .or(1L);
  private static final Table TABLE =
      Table.of("settle", HEADER, TRAILER, JSON, USAGE, LEASE, ON_EXPIRY, AT_LEAST, DIVISOR);

  /** The settlement of an operation. */
  static final Field<Section> SETTLE = Field.section(
      "settle",
      TABLE,
      "the first charge is an estimate, replaced by the actual cost; with none of the first four fields the service that"
          + " reserved [reports](http.md#post-v1reservations) it");

  private SettleReader() {}

  static Optional<SettleRule> read(Section section) {
    Map<SettleRule.Source, String> sources = sources(section);
    SettleRule.Source source = SettleRule.Source.CALLER;
    String name = "";
    long leaseMicros = section.micros(LEASE);
    boolean refunds = section.get(ON_EXPIRY);
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

  private static Map<SettleRule.Source, String> sources(Section section) {
    Map<SettleRule.Source, String> sources = new LinkedHashMap<>();
    section.find(HEADER).ifPresent(name -> sources.put(SettleRule.Source.HEADER, name));
    section.find(TRAILER).ifPresent(name -> sources.put(SettleRule.Source.TRAILER, name));
    section.find(JSON).ifPresent(name -> sources.put(SettleRule.Source.JSON, name));
    section.find(USAGE).ifPresent(source -> sources.put(source, ""));
    return sources;
  }
}
