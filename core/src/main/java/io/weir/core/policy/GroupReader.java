package io.weir.core.policy;

import io.weir.core.bucket.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the rule that assigns requests to a group of an upstream's operations. */
final class GroupReader {
  private static final int MAX_GROUPS = 20;
  private static final int MAX_VALUES = 100;
  private static final int MAX_LENGTH = 128;
  // Not the group of operations that name none: cooldowns learned from their answers apply to whole
  // keys.
  private static final String OTHERS = "others";

  private GroupReader() {}

  /** The rule of an operation. */
  static GroupRule of(Section operation) {
    if (operation.isMapping("group")) {
      return operation.section("group").map(GroupReader::read).orElse(GroupRule.DEFAULT);
    }
    return operation
        .text("group", Names::isName, Names.NAME_PATTERN)
        .map(name -> new GroupRule(name, Optional.empty()))
        .orElse(GroupRule.DEFAULT);
  }

  private static GroupRule read(Section section) {
    Map<CostRule.Source, String> sources = OperationsReader.sources(section, "/model");
    String fallback = section.text("default", Names::isName, Names.NAME_PATTERN).orElse(OTHERS);
    Map<String, String> groups = groups(section);
    section.refuseUnknown();
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
    List<Section> all = section.sections("groups");
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
    Optional<String> name = group.requiredText("name", Names::isName, Names.NAME_PATTERN);
    List<Section.Item> values = group.texts(
        "values",
        text -> !text.isEmpty() && text.length() <= MAX_LENGTH,
        "a text of at most %d characters".formatted(MAX_LENGTH));
    group.refuseUnknown();
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
