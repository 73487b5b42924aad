package io.weir.node.envoy.rule;

import io.weir.core.bucket.Names;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Flag;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The configuration files of envoyproxy/ratelimit as a section of a policy. What is wrong there is an error here, and what
 * a policy cannot say is a note; both name the file and the line. Mutable; for one import.
 */
public final class ImportedFiles {
  private static final Set<String> OF_FILE = Set.of("domain", "descriptors");
  private static final Set<String> OF_DESCRIPTOR = Set.of(
      "key",
      "value",
      "rate_limit",
      "descriptors",
      "shadow_mode",
      "quota_mode",
      "detailed_metric",
      "value_to_metric",
      "share_threshold",
      "metadata");
  private static final Set<String> OF_LIMIT =
      Set.of("unit", "requests_per_unit", "unit_multiplier", "unlimited", "name", "replaces");
  private static final Set<String> METRICS =
      Set.of("detailed_metric", "value_to_metric", "metadata");
  private static final Pattern NAME = Pattern.compile(Names.NAME_PATTERN);
  private static final Pattern NOT_OF_ID = Pattern.compile("[^A-Za-z0-9_-]");

  private final Map<String, List<ImportedRule>> domains = new LinkedHashMap<>();
  private final ImportReader reader = new ImportReader();

  /** The errors, which the service would refuse, too. */
  public List<String> errors() {
    return reader.errors();
  }

  /** The settings without a counterpart in a policy. */
  public List<String> notes() {
    return reader.notes();
  }

  /** Adds a file. */
  public void add(String name, DocumentValue document) {
    reader.begin(name);
    if (!(document instanceof Mapping mapping)) {
      reader.error(document, document.kind() + " (expected: domain and descriptors)");
      return;
    }
    reader.refuseUnknown(mapping, OF_FILE);
    String domain = reader.text(mapping, "domain").orElse("");
    if (!NAME.matcher(domain).matches()) {
      reader.error(mapping, "domain '%s' (expected: %s)".formatted(domain, Names.NAME_PATTERN));
    } else if (domains.containsKey(domain)) {
      reader.error(mapping, "domain '%s' is in another file already".formatted(domain));
    } else {
      List<ImportedRule> rules = new ArrayList<>();
      domains.put(domain, rules);
      descriptors(mapping, List.of(), rules);
      leaveOutUnknown(rules);
    }
  }

  private void descriptors(Mapping parent, List<EntryMatch> path, List<ImportedRule> rules) {
    List<String> seen = new ArrayList<>();
    for (Mapping descriptor : reader.mappings(parent, "descriptors")) {
      reader.refuseUnknown(descriptor, OF_DESCRIPTOR);
      String key = reader.text(descriptor, "key").orElse("");
      Optional<String> value = reader.text(descriptor, "value").filter(text -> !text.isEmpty());
      if (key.isEmpty()) {
        reader.error(descriptor, "a descriptor without a key");
        continue;
      }
      if (seen.contains(key + "\n" + value.orElse(""))) {
        reader.error(descriptor, "another descriptor beside it has this key and value");
        continue;
      }
      seen.add(key + "\n" + value.orElse(""));
      noteMetrics(descriptor);
      List<EntryMatch> match = new ArrayList<>(path);
      match.add(new EntryMatch(key, value, reader.flag(descriptor, "share_threshold")));
      rule(descriptor, match).ifPresent(rules::add);
      descriptors(descriptor, match, rules);
    }
  }

  // A descriptor that ends here without a limit passes; one that only goes on needs no rule.
  private Optional<ImportedRule> rule(Mapping descriptor, List<EntryMatch> match) {
    DocumentValue limit = descriptor.entries().get("rate_limit");
    if (limit == null || limit instanceof Nothing) {
      boolean isLeaf = reader.mappings(descriptor, "descriptors").isEmpty();
      return isLeaf
          ? Optional.of(new ImportedRule(
              new ImportedRule.Origin(reader.file(), descriptor.line()),
              match,
              "unlimited: true",
              Optional.empty(),
              Optional.empty(),
              List.of()))
          : Optional.empty();
    }
    if (!(limit instanceof Mapping fields)) {
      reader.error(limit, limit.kind() + " (expected: a rate limit)");
      return Optional.empty();
    }
    reader.refuseUnknown(fields, OF_LIMIT);
    Optional<String> mode = reader.flag(descriptor, "shadow_mode")
        ? Optional.of("audit")
        : Optional.of("quota").filter(word -> reader.flag(descriptor, "quota_mode"));
    List<String> replaces = replaced(fields);
    Optional<String> name = reader.text(fields, "name").filter(text -> isName(fields, text));
    return limit(fields)
        .map(words -> new ImportedRule(
            new ImportedRule.Origin(reader.file(), descriptor.line()),
            match,
            words,
            mode,
            name,
            replaces));
  }

  private boolean isName(Mapping limit, String name) {
    boolean isName = NAME.matcher(name).matches();
    if (!isName && !name.isEmpty()) {
      reader.note(limit, "name '%s': left out (expected: %s)".formatted(name, Names.NAME_PATTERN));
    }
    return isName;
  }

  private List<String> replaced(Mapping limit) {
    List<String> names = new ArrayList<>();
    String own = reader.text(limit, "name").orElse("");
    for (Mapping replaced : reader.mappings(limit, "replaces")) {
      reader.refuseUnknown(replaced, Set.of("name"));
      String name = reader.text(replaced, "name").orElse("");
      if (name.isEmpty() || name.equals(own)) {
        reader.error(replaced, "replaces '%s' (expected: the name of another)".formatted(name));
      } else {
        names.add(name);
      }
    }
    return names;
  }

  private Optional<String> limit(Mapping limit) {
    String unit = reader.text(limit, "unit").orElse("").toLowerCase(Locale.ROOT);
    boolean isUnit = LimitUnit.words().containsKey(unit);
    if (reader.flag(limit, "unlimited")) {
      if (isUnit) {
        reader.error(limit, "a unit beside unlimited (expected: one of them)");
      }
      return Optional.of("unlimited: true");
    }
    if (!isUnit) {
      reader.error(
          limit,
          "unit '%s' (expected: one of %s)".formatted(unit, LimitUnit.words().keySet()));
      return Optional.empty();
    }
    long multiplier = reader.number(limit, "unit_multiplier").orElse(1L);
    if (multiplier != 1) {
      reader.error(
          limit,
          "unit_multiplier: %d (expected: 1, as a policy has no other units)"
              .formatted(multiplier));
      return Optional.empty();
    }
    long requests = reader.number(limit, "requests_per_unit").orElse(0L);
    return Optional.of("requests: %d, per: %s".formatted(requests, unit));
  }

  // The service takes names that no rule has; a policy does not.
  private void leaveOutUnknown(List<ImportedRule> rules) {
    List<String> names = rules.stream().flatMap(rule -> rule.name().stream()).toList();
    for (int i = 0; i < rules.size(); i++) {
      ImportedRule rule = rules.get(i);
      for (String name : rule.replaces()) {
        if (!names.contains(name)) {
          reader.note(
              rule.origin().file(),
              rule.origin().line(),
              "replaces '%s': left out, no rule has the name".formatted(name));
        }
      }
      rules.set(i, rule.replacing(names));
    }
  }

  private void noteMetrics(Mapping descriptor) {
    for (String field : METRICS) {
      DocumentValue value = descriptor.entries().get(field);
      if (value instanceof Mapping || (value instanceof Flag flag && flag.value())) {
        reader.note(value, field + ": left out, metrics have no values of descriptors");
      }
    }
  }

  /** The section of a policy. */
  public String section() {
    StringBuilder text = new StringBuilder("envoy:\n");
    domains.forEach((domain, rules) -> {
      text.append("  ").append(domain).append(":\n");
      if (!Names.isId(domain)) {
        text.append("    tenant: ")
            .append(NOT_OF_ID.matcher(domain).replaceAll("-"))
            .append('\n');
      }
      text.append("    rules:").append(rules.isEmpty() ? " []\n" : "\n");
      rules.forEach(rule -> text.append("      - ").append(rule.text()).append('\n'));
    });
    return text.toString();
  }
}
