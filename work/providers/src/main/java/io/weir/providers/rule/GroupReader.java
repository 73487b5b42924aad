package io.weir.providers.rule;

import io.weir.core.policy.CostRule;
import io.weir.core.policy.GroupRule;
import io.weir.core.policy.read.RequestParts;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the rule that assigns requests to a group of an upstream's operations. */
final class GroupReader {
  private static final int MAX_GROUPS = 20;
  private static final int MAX_VALUES = 100;
  private static final int MAX_LENGTH = 128;
  // Not the group of operations that name none: cooldowns learned from their answers apply to whole
  // keys.
  private static final String OTHERS = "others";

  private static final RequestParts PARTS = new RequestParts("/model");
  private static final Field<String> FALLBACK = Field.name(
          "default", "the group of requests that name none, several, or one that is in no list")
      .or(OTHERS);
  private static final Field<String> NAME = Field.name("name", "the group").required();
  private static final Field<List<Section.Item>> VALUES = Field.texts(
          "values",
          Pattern.compile("(?s).{1," + MAX_LENGTH + "}"),
          "a text of at most %d characters".formatted(MAX_LENGTH),
          "the values of its requests; with those of the other groups at most " + MAX_VALUES)
      .counts(1, MAX_VALUES)
      .required();
  private static final Field<List<Section>> GROUPS = Field.sections(
          "groups", Table.of("valuesOfGroup", NAME, VALUES), "the groups and their values")
      .counts(1, MAX_GROUPS);
  private static final Table TABLE =
      Table.of("group").with(PARTS.fields()).with(List.of(GROUPS, FALLBACK));

  private static final Field<String> FIXED = Field.name("group", "");
  private static final Field<Section> READ = Field.section("group", TABLE, "");

  /** The group of an operation. */
  static final Field<Object> GROUP = Field.oneOf(
      "group",
      "the [group](#groups) of its requests (default: `default`), or the part of the requests that names it",
      FIXED,
      READ);

  private GroupReader() {}

  /** The rule of an operation. */
  static GroupRule of(Section operation) {
    if (operation.isMapping("group")) {
      return operation.find(READ).map(GroupReader::read).orElse(GroupRule.DEFAULT);
    }
    return operation
        .find(FIXED)
        .map(name -> new GroupRule(name, Optional.empty()))
        .orElse(GroupRule.DEFAULT);
  }

  private static GroupRule read(Section section) {
    Map<CostRule.Source, String> sources = PARTS.read(section);
    String fallback = section.get(FALLBACK);
    Map<String, String> groups = groups(section);
    if (sources.size() != 1) {
      section.error(
          "group_ambiguous",
          "%d sources (expected: one of header, query, json)".formatted(sources.size()));
      return new GroupRule(fallback, Optional.empty());
    }
    Map.Entry<CostRule.Source, String> source = sources.entrySet().iterator().next();
    return new GroupRule(
        fallback, Optional.of(new GroupRule.Named(source.getKey(), source.getValue(), groups)));
  }

  private static Map<String, String> groups(Section section) {
    Map<String, String> groups = new HashMap<>();
    List<Section> all = section.get(GROUPS);
    if (all.isEmpty() || all.size() > MAX_GROUPS) {
      section.error(
          "group_count",
          "groups",
          "%d (expected: 1 to %d, each with name and values)".formatted(all.size(), MAX_GROUPS));
    }
    all.forEach(group -> read(group, groups));
    if (groups.size() > MAX_VALUES) {
      section.error(
          "group_values",
          "groups",
          "%d values in all (expected: at most %d)".formatted(groups.size(), MAX_VALUES));
    }
    return groups;
  }

  private static void read(Section group, Map<String, String> groups) {
    Optional<String> name = group.find(NAME);
    List<Section.Item> values = group.find(VALUES).orElse(List.of());
    if (values.isEmpty()) {
      group.error("field_missing", "values", "nothing (expected: a list of texts)");
    }
    name.ifPresent(known -> values.forEach(value -> {
      if (groups.put(value.text(), known) != null) {
        group.errorAt("group_repeated", value, "stands for a group already");
      }
    }));
  }
}
