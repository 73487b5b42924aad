package io.weir.core.policy.read;

import io.weir.core.policy.CostRule;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Reads how the cost of a request is determined. */
final class CostSection {
  private static final RequestParts PARTS = new RequestParts("/gas/limit");
  private static final String BODY = "body";
  private static final Field<Long> BYTES = Field.number(
      "bytes",
      1,
      1L << 30,
      "the cost is the length of the body: one operation for each such number of bytes begun");
  private static final Field<String> COUNT = Field.text(
      "count",
      Pattern.compile(BODY + "|" + RequestParts.POINTER),
      "a JSON pointer such as /calls, or body",
      "the cost is the number of elements of this list in the body, as of a batch of JSON-RPC or GraphQL: a JSON pointer,"
          + " or `body` for the body itself. An empty list, and a value that is no list, count as one");
  private static final Field<Long> FALLBACK = Field.number(
      "default",
      1,
      CostRule.MAX_COST,
      "the number of a request that names none, before the division; without it, such a request is refused");
  private static final Field<Long> MAX = Field.number(
          "max", 1, CostRule.MAX_COST, "the largest accepted number, before the division")
      .or(CostRule.MAX_COST);
  private static final Field<Long> DIVISOR = Field.number(
          "divisor",
          1,
          CostRule.MAX_DIVISOR,
          "how much of the number is one operation, rounded up, such as 1000 for gas")
      .or(1L);
  private static final Table TABLE =
      Table.of("cost").with(PARTS.fields()).with(List.of(BYTES, COUNT, FALLBACK, MAX, DIVISOR));

  private static final Field<Long> FIXED =
      Field.number("cost", 1, CostRule.MAX_COST, "").or(1L);
  private static final Field<Section> READ = Field.section("cost", TABLE, "");

  /** The cost of an operation. */
  static final Field<Object> COST = Field.oneOf(
      "cost",
      "the number of operations of a request (default: 1), or the part of the request that contains it",
      FIXED,
      READ);

  private CostSection() {}

  static Optional<CostRule> read(Section operation) {
    if (operation.isMapping("cost")) {
      return operation.find(READ).flatMap(CostSection::named);
    }
    Optional<Long> fixed = operation.isAbsent("cost") ? FIXED.usual() : operation.find(FIXED);
    return fixed.map(CostRule.Fixed::new);
  }

  private static Optional<CostRule> named(Section section) {
    Map<CostRule.Source, String> sources = PARTS.read(section);
    Optional<Long> bytes = section.find(BYTES);
    bytes.ifPresent(unit -> sources.put(CostRule.Source.BODY, Long.toString(unit)));
    section
        .find(COUNT)
        .map(list -> list.equals(BODY) ? "" : list)
        .ifPresent(list -> sources.put(CostRule.Source.COUNT, list));
    Optional<Long> fallback = section.find(FALLBACK);
    long max = section.get(MAX);
    Optional<Long> divisor = section.find(DIVISOR);
    if (sources.size() != 1) {
      section.error(
          "cost_ambiguous",
          "%d sources (expected: one of header, query, json, count, bytes)"
              .formatted(sources.size()));
      return Optional.empty();
    }
    if (bytes.isPresent() && divisor.isPresent()) {
      section.error(
          "cost_ambiguous", "divisor", "beside bytes (expected: bytes alone, with that number)");
    }
    Map.Entry<CostRule.Source, String> source = sources.entrySet().iterator().next();
    long each = section.get(DIVISOR);
    return Optional.of(new CostRule.Read(
        source.getKey(),
        source.getValue(),
        fallback
            .map(number -> OptionalLong.of(CostRule.divided(number, each)))
            .orElseGet(OptionalLong::empty),
        max,
        each));
  }
}
