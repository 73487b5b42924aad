package io.weir.node.envoy.rule;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The fields of a rule that say which descriptors it matches, and how many requests they have. */
final class RuleFields {
  private static final int MOST_NAME = 64;
  static final Pattern KEY = Pattern.compile("[^\\p{Cntrl}]{1,128}");
  private static final Pattern VALUE = Pattern.compile("[^\\p{Cntrl}]{1,2048}");
  private static final Pattern NOT_OF_NAME = Pattern.compile("[^A-Za-z0-9._-]");

  private static final Field<String> ENTRY_KEY =
      Field.text("key", KEY, "1 to 128 characters", "the key of the entry").required();
  private static final Field<String> ENTRY_VALUE = Field.text(
      "value",
      VALUE,
      "1 to 2048 characters",
      "its value, in which a star stands for any characters; default: any value");
  private static final Field<Boolean> SHARED = Field.flag(
      "shared", "whether all values that match share one limit; each has its own if not");
  static final Field<List<Section>> MATCH = Field.sections(
          "match",
          Table.of("envoyEntry", ENTRY_KEY, ENTRY_VALUE, SHARED),
          "the [entries](#envoy) of a descriptor, in their order")
      .counts(1, EnvoyBounds.ENTRIES)
      .required();
  static final Field<Long> REQUESTS = Field.number(
      "requests", 0, UnitLimit.MOST, "the limit in one unit of time; 0 lets nothing pass");
  static final Field<LimitUnit> PER = Field.choice(
      "per", LimitUnit.words(), "the unit; a month is one of the calendar in UTC, a year 365 days");
  static final Field<Boolean> UNLIMITED =
      Field.flag("unlimited", "instead of a limit: its descriptors pass");

  private RuleFields() {}

  /** The entries that a rule matches; none if they are not right. */
  static List<EntryMatch> match(Section section) {
    List<EntryMatch> match = new ArrayList<>();
    List<Section> entries = section.find(MATCH).orElse(List.of());
    for (Section entry : entries) {
      Optional<String> value = entry.find(ENTRY_VALUE);
      boolean shared = entry.get(SHARED);
      entry.find(ENTRY_KEY).ifPresent(key -> match.add(new EntryMatch(key, value, shared)));
    }
    boolean isWhole = match.size() == entries.size();
    if (section.isList(MATCH.name())
        && (section.items(MATCH.name()).isEmpty() || entries.size() > EnvoyBounds.ENTRIES)) {
      section.error(
          "value_invalid",
          MATCH.name(),
          "%d entries (expected: 1 to %d)".formatted(entries.size(), EnvoyBounds.ENTRIES));
      return List.of();
    }
    return isWhole ? match : List.of();
  }

  /** The limit of a rule that has one. */
  static Optional<UnitLimit> limit(Section section, boolean isOfSubject) {
    boolean isUnlimited = section.get(UNLIMITED);
    Optional<Long> requests = section.find(REQUESTS);
    Optional<LimitUnit> unit = section.find(PER);
    boolean hasLimit = section.has(REQUESTS.name()) || section.has(PER.name());
    if (isOfSubject) {
      if (isUnlimited || hasLimit) {
        section.error(
            "limit_ambiguous", "subject beside requests, per or unlimited (expected: one)");
      }
      return Optional.empty();
    } else if (isUnlimited && hasLimit) {
      section.error("limit_ambiguous", "unlimited: true beside requests or per (expected: one)");
    } else if (!isUnlimited && (!section.has(REQUESTS.name()) || !section.has(PER.name()))) {
      section.error(
          "limit_ambiguous", "no limit (expected: requests and per, unlimited: true, or subject)");
    }
    return requests.flatMap(number -> unit.map(per -> new UnitLimit(number, per)));
  }

  // By this name the state of a value keeps what was used if its rule changes.
  static String nameOf(List<EntryMatch> match) {
    StringBuilder name = new StringBuilder();
    for (EntryMatch entry : match) {
      name.append(name.isEmpty() ? "" : ".").append(entry.key());
    }
    String ascii = NOT_OF_NAME.matcher(name).replaceAll("_");
    return ascii.substring(0, Math.min(MOST_NAME, ascii.length()));
  }
}
