package io.weir.policy;

import io.weir.bucket.Names;
import io.weir.policy.OperationRule.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads how requests become operations and costs. */
final class OperationsReader {
  private static final Pattern METHOD = Pattern.compile("[A-Z]{3,20}");
  // RFC 9110, section 5.6.2
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
  private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._~-]{1,64}");
  private static final Pattern POINTER = Pattern.compile("(/[^/]{1,64}){1,16}");

  List<OperationRule> read(Section root) {
    Set<String> names = new HashSet<>();
    List<OperationRule> rules = new ArrayList<>();
    for (Section section : root.sections("operations")) {
      rule(section, names).filter(rule -> reachable(section, rule, rules)).ifPresent(rules::add);
    }
    return rules;
  }

  private Optional<OperationRule> rule(Section section, Set<String> names) {
    Optional<String> name = section.requiredText("name", Names::isName, Names.NAME_PATTERN);
    Optional<Section> match = section.section("match");
    Optional<Route> route = match.flatMap(this::route);
    Optional<CostRule> cost = cost(section);
    long maxDelay = section
        .duration("maxDelay", Duration.ZERO, Duration.ofMinutes(1))
        .map(Duration::toMillis)
        .orElse(0L);
    boolean unlimited = section.flag("unlimited");
    boolean continues = section.flag("continues");
    section.refuseUnknown();
    if (name.isPresent() && !names.add(name.get())) {
      section.error("name_repeated", "name", "'%s' is an operation already".formatted(name.get()));
      return Optional.empty();
    }
    boolean sound = name.isPresent() && cost.isPresent() && match.isPresent() == route.isPresent();
    return sound
        ? Optional.of(
            new OperationRule(name.get(), route, cost.get(), maxDelay, unlimited, continues))
        : Optional.empty();
  }

  private Optional<Route> route(Section match) {
    String expectedMethod = "a method in upper case, such as POST";
    List<Section.Item> several = match.has("methods")
        ? match.texts("methods", METHOD.asMatchPredicate(), expectedMethod)
        : List.of();
    Set<String> methods = several.stream().map(Section.Item::text).collect(Collectors.toSet());
    match.text("method", METHOD.asMatchPredicate(), expectedMethod).ifPresent(methods::add);
    String expectedPath = "a path such as /contracts/{id}/call, with /** at its end for all below";
    Optional<String> path =
        match.requiredText("path", text -> PathPattern.parse(text).isPresent(), expectedPath);
    match.refuseUnknown();
    return path.flatMap(PathPattern::parse).map(pattern -> new Route(methods, pattern));
  }

  private Optional<CostRule> cost(Section section) {
    if (section.isMapping("cost")) {
      return section.section("cost").flatMap(this::readCost);
    }
    if (section.isAbsent("cost")) {
      return Optional.of(new CostRule.Fixed(1));
    }
    OptionalLong fixed = section.wholeNumber("cost", 1, CostRule.MAX_COST);
    return fixed.isPresent()
        ? Optional.of(new CostRule.Fixed(fixed.getAsLong()))
        : Optional.empty();
  }

  private Optional<CostRule> readCost(Section section) {
    Map<CostRule.Source, String> sources = new LinkedHashMap<>();
    section
        .text("header", HEADER.asMatchPredicate(), "the name of a header")
        .ifPresent(name -> sources.put(CostRule.Source.HEADER, name));
    section
        .text("query", PARAMETER.asMatchPredicate(), "the name of a query parameter")
        .ifPresent(name -> sources.put(CostRule.Source.QUERY, name));
    section
        .text("json", POINTER.asMatchPredicate(), "a JSON pointer such as /gas/limit")
        .ifPresent(name -> sources.put(CostRule.Source.JSON, name));
    OptionalLong fallback = section.wholeNumber("default", 1, CostRule.MAX_COST);
    OptionalLong max = section.wholeNumber("max", 1, CostRule.MAX_COST);
    section.refuseUnknown();
    if (sources.size() != 1) {
      section.error(
          "cost_ambiguous",
          "%d sources (expected: one of header, query, json)".formatted(sources.size()));
      return Optional.empty();
    }
    Map.Entry<CostRule.Source, String> source = sources.entrySet().iterator().next();
    return Optional.of(new CostRule.Read(
        source.getKey(), source.getValue(), fallback, max.orElse(CostRule.MAX_COST)));
  }

  private static boolean reachable(
      Section section, OperationRule rule, List<OperationRule> before) {
    if (rule.route().isEmpty()) {
      return true;
    }
    for (OperationRule earlier : before) {
      if (earlier.route().filter(route -> route.covers(rule.route().get())).isPresent()) {
        section.error(
            "rule_unreachable",
            "match",
            "every request it matches is taken by %s before".formatted(earlier.name()));
        return false;
      }
    }
    return true;
  }
}
