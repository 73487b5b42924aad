package io.weir.core.policy;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.BucketsReader.DefinedBucket;
import io.weir.core.policy.PlansReader.DefinedPlan;
import io.weir.core.policy.SubjectsReader.Subjects;
import io.weir.core.upstream.Providers;
import io.weir.core.window.WindowRule;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads a policy strictly: it refuses unknown fields and reports all problems at once. {@code docs/reference/policy.md}
 * describes the document and lists the codes of its problems.
 */
public final class PolicyReader {
  private static final int MAX_NAMED = 20;
  private static final Map<String, Boolean> UNLISTED = unlisted();

  private final Section root;

  private PolicyReader(Section root) {
    this.root = root;
  }

  /**
   * Reads and compiles a document.
   *
   * @param source the document's name, for the locations of problems
   * @throws InvalidPolicyException with every problem, if there is at least one error
   */
  public static PolicyReading read(String source, DocumentValue document) {
    Problems problems = new Problems(source);
    Section root = Section.root(document, problems);
    Policy policy = new PolicyReader(root).policy();
    if (problems.hasErrors()) {
      throw new InvalidPolicyException(problems.all());
    }
    return new PolicyReading(policy, problems.all());
  }

  private Policy policy() {
    root.text("description", text -> text.length() <= 1000, "up to 1000 characters");
    boolean extend = root.flag("extendBursts");
    boolean allowUnlisted = root.choice("unlistedOperations", UNLISTED).orElse(false);
    ShapeReader shapes = new ShapeReader(extend ? BurstRule.EXTEND : BurstRule.REFUSE);
    if (!root.has("buckets")) {
      root.error("field_missing", "buckets", "nothing (expected: a list of buckets)");
    }
    BucketsReader bucketsReader = new BucketsReader(shapes, defaultScope(), !root.has("plans"));
    List<DefinedBucket> buckets = bucketsReader.read(root);
    List<KindLimit> kinds = new KindsReader(bucketsReader.names(), defaultScope()).read(root);
    List<OperationRule> rules = new OperationsReader().read(root);
    OverrideReader overrides =
        new OverrideReader(shapes, operations(rules, buckets, kinds), tenantBuckets(buckets));
    PlansReader plansReader = new PlansReader(buckets, kinds, overrides);
    Map<String, DefinedPlan> plans = plansReader.read(root);
    Set<String> known = operations(rules, buckets, List.of());
    KindsReader.findUnknownOperations(kinds, known);
    plansReader.findUnknownKept(plans.keySet(), known);
    Set<String> unlimited = rules.stream()
        .filter(OperationRule::unlimited)
        .map(OperationRule::name)
        .collect(Collectors.toSet());
    Subjects subjects = new SubjectsReader(plans, overrides, unlimited, allowUnlisted).read(root);
    Optional<Upstream> upstream = root.section("upstream").flatMap(PolicyReader::upstream);
    Map<String, Providers> upstreams = new UpstreamsReader().read(root);
    findUnknownUpstreams(rules, upstreams);
    Map<String, WindowRule> windows = new WindowsReader(upstreams).read(root);
    root.refuseUnknown();
    findUnthrottled(plans, rules, buckets, allowUnlisted);
    List<DefinedBucket> drawn = drawnFrom(plans, buckets);
    return new Policy(
        drawn.stream().map(bucket -> bucket.shape().bucket()).toList(),
        rules,
        subjects.plans(),
        subjects.defaultPlan(),
        subjects.byId(),
        upstream,
        upstreams,
        windows);
  }

  private void findUnserved(OperationRule rule, Providers providers) {
    rule.group().all().stream()
        .filter(group -> providers.serving(group).isEmpty())
        .forEach(group -> root.error(
            "upstream_group",
            "operations",
            "%s: no provider of %s serves the group '%s'"
                .formatted(rule.name(), providers.name(), group)));
  }

  private void findUnknownUpstreams(List<OperationRule> rules, Map<String, Providers> upstreams) {
    for (OperationRule rule : rules) {
      rule.upstream()
          .filter(name -> !upstreams.containsKey(name))
          .ifPresent(name -> root.error(
              "upstream_unknown",
              "operations",
              "%s: no upstream '%s'".formatted(rule.name(), name)));
      rule.upstream().map(upstreams::get).ifPresent(providers -> findUnserved(rule, providers));
      if (rule.upstream().isPresent() && rule.job().isPresent()) {
        root.error(
            "job_field",
            "operations",
            "%s: upstream is not for an operation with mode: job".formatted(rule.name()));
      }
    }
  }

  private Scope defaultScope() {
    return root.section("defaults")
        .flatMap(defaults -> defaults.choice("scope", Scopes.BY_WORD))
        .orElse(Scope.KEY);
  }

  private static Set<String> tenantBuckets(List<DefinedBucket> buckets) {
    return buckets.stream()
        .filter(bucket -> bucket.shape().bucket().scope() == Scope.TENANT)
        .map(DefinedBucket::name)
        .collect(Collectors.toSet());
  }

  private static Set<String> operations(
      List<OperationRule> rules, List<DefinedBucket> buckets, List<KindLimit> kinds) {
    Set<String> operations = new LinkedHashSet<>();
    rules.forEach(rule -> operations.add(rule.name()));
    buckets.forEach(bucket -> operations.addAll(bucket.shape().demands().keySet()));
    kinds.forEach(limit -> operations.addAll(limit.operations()));
    return operations;
  }

  private static List<DefinedBucket> drawnFrom(
      Map<String, DefinedPlan> plans, List<DefinedBucket> buckets) {
    Set<String> drawn = plans.values().stream()
        .flatMap(plan -> plan.draft().shapes().stream())
        .map(shape -> shape.bucket().name())
        .collect(Collectors.toSet());
    return buckets.stream().filter(bucket -> drawn.contains(bucket.name())).toList();
  }

  private void findUnthrottled(
      Map<String, DefinedPlan> plans,
      List<OperationRule> rules,
      List<DefinedBucket> buckets,
      boolean allowUnlisted) {
    for (DefinedPlan plan : plans.values()) {
      Set<String> missing = new TreeSet<>(operations(
          rules.stream().filter(rule -> !rule.unlimited()).toList(),
          buckets.stream().filter(bucket -> bucket.set() == plan.set()).toList(),
          List.of()));
      missing.removeAll(plan.draft().operations());
      rules.stream()
          .filter(OperationRule::unlimited)
          .map(OperationRule::name)
          .forEach(missing::remove);
      if (!missing.isEmpty() && plan.access() == Access.LIMITED) {
        plan.section().warning("operation_unthrottled", unthrottled(plan, missing, allowUnlisted));
      }
    }
  }

  private static String unthrottled(DefinedPlan plan, Set<String> missing, boolean allowUnlisted) {
    String named = missing.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    String more =
        missing.size() > MAX_NAMED ? " and %d more".formatted(missing.size() - MAX_NAMED) : "";
    return "the plan %s does not limit %s%s: requests for them are %s"
        .formatted(plan.name(), named, more, allowUnlisted ? "allowed" : "denied");
  }

  private static Optional<Upstream> upstream(Section section) {
    Optional<String> url = section.requiredSecretText(
        "url",
        PolicyReader::isBaseUrl,
        "http:// or https://, a host and maybe a port, without a path");
    OptionalLong connect = section.wholeNumber("connectTimeoutMs", 1, 60_000);
    OptionalLong timeout = section.wholeNumber("timeoutMs", 1, 110_000);
    OptionalLong maxBody = section.wholeNumber("maxBodyBytes", 0, 1L << 40);
    boolean honoursKeys = section.flag("honoursIdempotencyKeys");
    section.refuseUnknown();
    return url.map(text -> new Upstream(
        URI.create(text),
        (int) connect.orElse(1000),
        (int) timeout.orElse(30_000),
        maxBody.orElse(10L << 20),
        honoursKeys));
  }

  static boolean isBaseUrl(String text) {
    try {
      URI uri = URI.create(text);
      if (uri.getHost() == null || uri.getPort() > 65_535) {
        return false; // opaque, such as localhost:8080, or without a host
      }
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean bare = uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
      return web && bare && uri.getRawUserInfo() == null && uri.getRawQuery() == null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Map<String, Boolean> unlisted() {
    Map<String, Boolean> words = new LinkedHashMap<>();
    words.put("deny", false);
    words.put("allow", true);
    return words;
  }
}
