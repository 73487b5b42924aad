package io.weir.operators.warning;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Names;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the rules for warnings. */
public final class WarningsSection extends PolicySection<WarningRules> {
  private static final List<Integer> USUAL = List.of(80, 90, 100);
  private static final int MOST = 100;

  private static final Field<String> TO = Field.id(
          "to",
          "the receiver, by its name in the file of receivers that [nodes](configuration.md) have")
      .required();
  private static final Field<List<Item>> AT = Field.percents(
          "at",
          1,
          MOST,
          "how full a limit is when the receiver is warned, as `[80, 90]` per cent or `[0.8, 0.9]`; default: 80, 90 and"
              + " 100 per cent")
      .atMost(10, "too_many_percentages");
  private static final Field<List<Item>> PLANS =
      Field.names("plans", "only for subjects of these plans");
  private static final Field<List<Item>> TENANTS = Field.texts(
      "tenants",
      Pattern.compile(Names.ID_PATTERN),
      Names.ID_PATTERN,
      "only for keys of these tenants");
  private static final Field<List<Item>> KEYS = Field.texts(
      "keys",
      Pattern.compile(Names.SUBJECT_PATTERN),
      Names.SUBJECT_PATTERN,
      "only for these keys, by their ids");
  private static final Field<List<Item>> LIMITS = Field.texts(
      "limits",
      Pattern.compile("[A-Za-z0-9._:-]{1,80}"),
      "names of buckets, quotas or permits",
      "only these buckets, quotas or permits");
  private static final Field<Long> AGAIN = Field.duration(
          "again",
          Duration.ofMinutes(1),
          Duration.ofDays(31),
          "after this time a warning about the same percentage of the same limit may be sent again; for a quota, when"
              + " its next period begins")
      .or(Duration.ofHours(1).toMillis());
  private static final Field<Map<String, Section>> WARNINGS = Field.byId(
          "warnings",
          Table.of("warning", TO, AT, PLANS, TENANTS, KEYS, LIMITS, AGAIN),
          "limits about which a receiver is [warned](#warnings) when they fill up")
      .atMost(20, "too_many_warnings");

  public WarningsSection() {
    super(Parent.POLICY, WarningRules.PART, WARNINGS);
  }

  @Override
  public Optional<WarningRules> read(Section root) {
    List<WarningRule> rules = new ArrayList<>();
    root.get(WARNINGS)
        .forEach((name, section) ->
            section.find(TO).ifPresent(to -> rules.add(rule(name, to, section))));
    return rules.isEmpty() ? Optional.empty() : Optional.of(new WarningRules(rules));
  }

  private static WarningRule rule(String name, String to, Section section) {
    List<Integer> at =
        section.get(AT).stream().map(item -> Integer.valueOf(item.text())).toList();
    Duration again = Duration.ofMillis(section.get(AGAIN));
    return new WarningRule(
        name,
        "%s:%s:%d".formatted(name, to, again.toSeconds()),
        to,
        at.isEmpty() ? USUAL : at,
        new WarningRule.Selection(
            Item.texts(section.get(PLANS)),
            Item.texts(section.get(TENANTS)),
            Item.texts(section.get(KEYS)),
            Item.texts(section.get(LIMITS))),
        again);
  }

  @Override
  public void check(Section root, Policy policy) {
    Set<String> limits = policy.plans().values().stream()
        .flatMap(WarningsSection::limits)
        .collect(Collectors.toSet());
    root.get(WARNINGS).values().forEach(section -> {
      section.get(PLANS).stream()
          .filter(plan -> !policy.plans().containsKey(plan.text()))
          .forEach(
              plan -> section.errorAt("plan_unknown", plan, "no plan '%s'".formatted(plan.text())));
      section.get(LIMITS).stream()
          .filter(limit -> !limits.contains(limit.text()))
          .forEach(limit -> section.errorAt(
              "limit_unknown",
              limit,
              "no bucket, quota or permits '%s' in any plan".formatted(limit.text())));
    });
  }

  private static Stream<String> limits(Plan plan) {
    return Stream.concat(plan.buckets().map(Bucket::name), plan.kinds().map(KindDemand::name));
  }
}
