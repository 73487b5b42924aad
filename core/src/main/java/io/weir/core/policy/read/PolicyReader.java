package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.Access;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Parts;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.PolicySection.Place;
import io.weir.core.policy.Upstream;
import io.weir.core.policy.read.BucketsReader.DefinedBucket;
import io.weir.core.policy.read.PlansReader.DefinedPlan;
import io.weir.core.policy.read.SubjectsReader.Subjects;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Problems;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads a policy strictly: it refuses unknown fields and reports all problems at once. {@code docs/reference/policy.md}
 * describes the document and lists the codes of its problems.
 */
public final class PolicyReader {
  private static final int MAX_NAMED = 20;
  private static final int MAX_DESCRIPTION = 1000;
  private static final Field<String> DESCRIPTION = Field.parsed(
      "description",
      text -> Optional.of(text).filter(one -> one.length() <= MAX_DESCRIPTION),
      "[\\s\\S]{0,1000}",
      "up to 1000 characters",
      "for people");
  private static final Field<Boolean> EXTEND_BURSTS = Field.flag(
      "extendBursts",
      "whether a burst that is too small becomes the smallest one that works, with a warning");
  private static final Field<Boolean> UNLISTED = Field.choice(
          "unlistedOperations",
          Words.of("deny", false, "allow", true),
          "what becomes of operations that no bucket of the plan limits")
      .or(false);

  private static final Field<URI> URL = BaseUrl.field("where the server is; without a path");
  private static final Field<Section> UPSTREAM = Field.section(
      "upstream",
      Table.of("upstream", URL).with(UpstreamFields.ALL),
      "the server to which the gateway forwards");

  private static final Table POLICY = Table.of(
          "policy",
          DESCRIPTION,
          BucketsReader.BUCKETS,
          KindsReader.QUOTAS,
          KindsReader.PERMITS,
          OperationsReader.OPERATIONS,
          PlansReader.PLANS,
          SubjectsReader.TENANTS,
          SubjectsReader.SUBJECTS,
          SubjectsReader.DEFAULTS_FIELD,
          UNLISTED,
          PlansReader.BUCKET_SET,
          FailureMode.FIELD,
          EXTEND_BURSTS,
          UPSTREAM)
      .with(Extensions.all().fields(Place.POLICY));

  /** The fields of a throttle file of Hedera's form, and those that say how to read one. */
  private static final Set<String> THROTTLE_FILE =
      Set.of("buckets", "bucketSet", "extendBursts", "description", "failureMode");

  private static final Set<String> THROTTLE_BUCKET =
      Set.of("name", "burstPeriod", "burstPeriodMs", "throttleGroups", "highVolume");

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
    Section root = Section.root(document, problems, POLICY);
    Policy policy = new PolicyReader(root).policy();
    if (problems.hasErrors()) {
      throw new InvalidPolicyException(problems.all());
    }
    return new PolicyReading(policy, problems.all());
  }

  /** The fields of the document. */
  static Table table() {
    return POLICY;
  }

  private Policy policy() {
    root.find(DESCRIPTION);
    boolean extend = root.get(EXTEND_BURSTS);
    boolean allowUnlisted = root.get(UNLISTED);
    ShapeReader shapes = new ShapeReader(extend ? BurstRule.EXTEND : BurstRule.REFUSE);
    BucketsReader bucketsReader = new BucketsReader(shapes, defaultScope(), !root.has("plans"));
    List<DefinedBucket> buckets = bucketsReader.read(root);
    List<KindLimit> kinds = new KindsReader(bucketsReader.names(), defaultScope()).read(root);
    OperationsReader operationsReader = new OperationsReader();
    List<OperationRule> rules = operationsReader.read(root);
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
    Optional<Upstream> upstream = root.find(UPSTREAM).flatMap(PolicyReader::upstream);
    Parts parts = Extensions.all().read(Place.POLICY, root);
    root.refuseUnknown();
    findAssumedScope(buckets);
    findUnthrottled(plans, rules, buckets, allowUnlisted);
    if (allowUnlisted && plans.values().stream().anyMatch(PolicyReader::leavesUnlisted)) {
      operationsReader.findUnlistedMethods();
    }
    List<DefinedBucket> drawn = drawnFrom(plans, buckets);
    Policy policy = new Policy(
        drawn.stream().map(bucket -> bucket.shape().bucket()).toList(),
        rules,
        rules.stream()
            .collect(Collectors.toMap(OperationRule::name, rule -> rule, (first, next) -> first)),
        subjects.plans(),
        subjects.defaultPlan(),
        subjects.byId(),
        subjects.rules(),
        subjects.compiler(),
        upstream,
        parts);
    Extensions.all().check(root, policy);
    return policy;
  }

  private Scope defaultScope() {
    return root.find(SubjectsReader.DEFAULTS_FIELD)
        .map(defaults -> defaults.get(Scopes.DEFAULT))
        .orElse(Scope.KEY);
  }

  // Hedera's throttle files limit a whole network, and know neither callers nor scopes.
  private void findAssumedScope(List<DefinedBucket> buckets) {
    boolean isThrottleFile = root.hasOnly(THROTTLE_FILE)
        && buckets.stream().allMatch(bucket -> bucket.section().hasOnly(THROTTLE_BUCKET));
    if (isThrottleFile && !buckets.isEmpty()) {
      root.warning(
          "scope_assumed",
          "buckets",
          "no scope: they limit each account by itself (expected: defaults.scope: cluster for all accounts together, or key)");
    }
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

  private static boolean leavesUnlisted(DefinedPlan plan) {
    return plan.access() == Access.LIMITED && !plan.draft().operations().contains(Plan.UNLISTED);
  }

  private static String unthrottled(DefinedPlan plan, Set<String> missing, boolean allowUnlisted) {
    String named = missing.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    String more =
        missing.size() > MAX_NAMED ? " and %d more".formatted(missing.size() - MAX_NAMED) : "";
    return "the plan %s does not limit %s%s: requests for them are %s"
        .formatted(plan.name(), named, more, allowUnlisted ? "allowed" : "denied");
  }

  private static Optional<Upstream> upstream(Section section) {
    int connectMillis = section.count(UpstreamFields.CONNECT_TIMEOUT);
    int timeoutMillis = section.count(UpstreamFields.TIMEOUT);
    long maxBodyBytes = section.get(UpstreamFields.MAX_BODY_BYTES);
    boolean honoursKeys = section.get(UpstreamFields.HONOURS_KEYS);
    return section
        .find(URL)
        .map(url -> new Upstream(url, connectMillis, timeoutMillis, maxBodyBytes, honoursKeys));
  }
}
