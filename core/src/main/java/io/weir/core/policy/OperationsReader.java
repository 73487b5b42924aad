package io.weir.core.policy;

import io.weir.core.bucket.Names;
import io.weir.core.job.JobRule;
import io.weir.core.policy.OperationRule.Route;
import io.weir.core.policy.OperationRule.Stage;
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

/** Reads how requests are mapped to operations and costs. */
final class OperationsReader {
  private static final Pattern METHOD = Pattern.compile("[A-Z]{3,20}");
  // RFC 9110, section 5.6.2
  static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
  private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._~-]{1,64}");
  private static final Pattern POINTER = Pattern.compile("(/[^/]{1,64}){1,16}");

  private static final int MAX_JOB_QUEUES = 50;
  private static final long DEFAULT_LEASE_US = 60_000_000;
  private static final Map<String, Stage> STAGES =
      Map.of("door", Stage.DOOR, "execution", Stage.EXECUTION);
  private static final Map<String, SettleRule.Source> USAGES =
      Map.of("openai", SettleRule.Source.OPENAI, "anthropic", SettleRule.Source.ANTHROPIC);
  private static final Map<String, Boolean> MODES = Map.of("job", true, "direct", false);
  private static final Map<String, Boolean> ON_EXPIRY = Map.of("refund", true, "keep", false);

  List<OperationRule> read(Section root) {
    Set<String> names = new HashSet<>();
    List<OperationRule> rules = new ArrayList<>();
    for (Section section : root.sections("operations")) {
      rule(section, names).filter(rule -> reachable(section, rule, rules)).ifPresent(rules::add);
    }
    long queues = rules.stream().filter(rule -> rule.job().isPresent()).count();
    if (queues > MAX_JOB_QUEUES) {
      root.error(
          "too_many_job_queues",
          "operations",
          "%d with mode: job (expected: at most %d)".formatted(queues, MAX_JOB_QUEUES));
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
    Optional<SettleRule> settle = section.section("settle").flatMap(OperationsReader::settle);
    Optional<Stage> stage = section.choice("stage", STAGES);
    Optional<JobRule> job = job(section);
    Optional<String> upstream =
        section.text("upstream", text -> text.matches(Names.ID_PATTERN), Names.ID_PATTERN);
    GroupRule group = GroupReader.of(section);
    OptionalLong attempts = section.wholeNumber("attempts", 1, UpstreamsReader.MAX_ATTEMPTS);
    Optional<Boolean> safeToRepeat = section.isAbsent("safeToRepeat")
        ? Optional.empty()
        : Optional.of(section.flag("safeToRepeat"));
    for (String field : List.of("attempts", "group", "safeToRepeat")) {
      if (section.has(field) && upstream.isEmpty()) {
        section.warning("field_ignored", field, "has no effect without an upstream of providers");
      }
    }
    section.refuseUnknown();
    if (name.isPresent() && !names.add(name.get())) {
      section.error("name_repeated", "name", "'%s' is an operation already".formatted(name.get()));
      return Optional.empty();
    }
    boolean sound = name.isPresent() && cost.isPresent() && match.isPresent() == route.isPresent();
    return sound
        ? Optional.of(new OperationRule(
            name.get(),
            route,
            cost.get(),
            maxDelay,
            unlimited,
            continues,
            settle,
            stage,
            job,
            upstream,
            group,
            attempts,
            safeToRepeat))
        : Optional.empty();
  }

  private static Optional<JobRule> job(Section section) {
    boolean isJob = section.choice("mode", MODES).orElse(false);
    if (!isJob) {
      if (section.has("job")) {
        section.error("job_mode", "job", "settings of jobs without mode: job");
      }
      return Optional.empty();
    }
    if (!section.has("match")) {
      section.error("job_match", "mode", "jobs without match: nobody could submit one");
    }
    for (String field : List.of("settle", "maxDelay", "continues")) {
      if (section.has(field)) {
        section.error("job_field", field, "not for an operation with mode: job");
      }
    }
    return section.has("job")
        ? section.section("job").map(JobReader::of)
        : Optional.of(JobRule.DEFAULT);
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

  private static Optional<SettleRule> settle(Section section) {
    Map<SettleRule.Source, String> sources = new LinkedHashMap<>();
    section
        .text("header", HEADER.asMatchPredicate(), "the name of a header")
        .ifPresent(name -> sources.put(SettleRule.Source.HEADER, name));
    section
        .text("trailer", HEADER.asMatchPredicate(), "the name of a trailer")
        .ifPresent(name -> sources.put(SettleRule.Source.TRAILER, name));
    section
        .text("json", POINTER.asMatchPredicate(), "a JSON pointer such as /usage/total_tokens")
        .ifPresent(name -> sources.put(SettleRule.Source.JSON, name));
    section.choice("usage", USAGES).ifPresent(source -> sources.put(source, ""));
    long lease = section
        .duration("lease", Duration.ofSeconds(1), Duration.ofHours(1))
        .map(SlotsReader::micros)
        .orElse(DEFAULT_LEASE_US);
    boolean refunds = section.choice("onExpiry", ON_EXPIRY).orElse(true);
    OptionalLong least = section.wholeNumber("atLeast", 1, 100);
    OptionalLong divisor = section.wholeNumber("divisor", 1, CostRule.MAX_DIVISOR);
    section.refuseUnknown();
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
    Map.Entry<SettleRule.Source, String> source = sources.isEmpty()
        ? Map.entry(SettleRule.Source.CALLER, "")
        : sources.entrySet().iterator().next();
    return Optional.of(new SettleRule(
        source.getKey(),
        source.getValue(),
        lease,
        refunds,
        (int) least.orElse(100),
        divisor.orElse(1)));
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

  /** The parts of a request that a section names; one is expected. */
  static Map<CostRule.Source, String> sources(Section section, String pointer) {
    Map<CostRule.Source, String> sources = new LinkedHashMap<>();
    section
        .text("header", HEADER.asMatchPredicate(), "the name of a header")
        .ifPresent(name -> sources.put(CostRule.Source.HEADER, name));
    section
        .text("query", PARAMETER.asMatchPredicate(), "the name of a query parameter")
        .ifPresent(name -> sources.put(CostRule.Source.QUERY, name));
    section
        .text("json", POINTER.asMatchPredicate(), "a JSON pointer such as " + pointer)
        .ifPresent(name -> sources.put(CostRule.Source.JSON, name));
    return sources;
  }

  private Optional<CostRule> readCost(Section section) {
    Map<CostRule.Source, String> sources = sources(section, "/gas/limit");
    OptionalLong bytes = section.wholeNumber("bytes", 1, 1L << 30);
    bytes.ifPresent(unit -> sources.put(CostRule.Source.BODY, Long.toString(unit)));
    OptionalLong fallback = section.wholeNumber("default", 1, CostRule.MAX_COST);
    OptionalLong max = section.wholeNumber("max", 1, CostRule.MAX_COST);
    OptionalLong divisor = section.wholeNumber("divisor", 1, CostRule.MAX_DIVISOR);
    section.refuseUnknown();
    if (sources.size() != 1) {
      section.error(
          "cost_ambiguous",
          "%d sources (expected: one of header, query, json, bytes)".formatted(sources.size()));
      return Optional.empty();
    }
    if (bytes.isPresent() && divisor.isPresent()) {
      section.error(
          "cost_ambiguous", "divisor", "beside bytes (expected: bytes alone, with that number)");
    }
    Map.Entry<CostRule.Source, String> source = sources.entrySet().iterator().next();
    long each = divisor.orElse(1);
    return Optional.of(new CostRule.Read(
        source.getKey(),
        source.getValue(),
        fallback.stream().map(number -> CostRule.divided(number, each)).findFirst(),
        max.orElse(CostRule.MAX_COST),
        each));
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
