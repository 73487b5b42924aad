package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.FrozenPart;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationLimit.NotConfigured;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.PathPattern;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Upstream;
import io.weir.core.policy.schema.Problem;
import io.weir.core.slot.SlotMode;
import io.weir.state.testing.CheckedPolicies;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PoliciesTest {
  private static final String BUCKETS = """
      buckets:
        - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Ping, Pong] }] }
        - { name: all, scope: tenant, burstPeriod: 2, throttleGroups: [{ milliOpsPerSec: 150500, operations: [Ping] }] }
      """;

  @Test
  void defaultsOfABareDocument() {
    Policy policy = policy(BUCKETS);
    assertThat(policy.buckets().get(0).scope()).isEqualTo(Scope.KEY);
    assertThat(policy.defaultPlan()).map(Plan::name).contains("default");
    assertThat(policy.routing().upstream()).isEmpty();
    assertThat(policy.callers().subjects()).isEmpty();
    assertThat(policy.defaultPlan().orElseThrow().limit("Other")).isInstanceOf(NotConfigured.class);
  }

  @Test
  void defaultsOfAnUpstreamAndAnOperation() {
    Policy policy = policy(BUCKETS + """
        operations: [{ name: Ping, match: { path: /ping } }]
        upstream: { url: "http://localhost:9000" }
        """);
    assertThat(policy.routing().upstream())
        .contains(new Upstream(URI.create("http://localhost:9000"), 1000, 30_000, 10 << 20, false));
    assertThat(policy.routing().rules().get(0).cost()).isEqualTo(new CostRule.Fixed(1));
    assertThat(policy.routing().rules().get(0).excess().unlimited()).isFalse();
  }

  @Test
  void aScopeByDefault() {
    Policy policy = policy(BUCKETS + "defaults: { scope: cluster }");
    assertThat(policy.buckets()).extracting("scope").containsExactly(Scope.CLUSTER, Scope.TENANT);
  }

  @Test
  void jsonAndYamlSayTheSame() {
    String json = """
        {"buckets": [
        \t{"name": "requests", "burstPeriodMs": 1000,
        \t "throttleGroups": [{"opsPerSec": 100, "operations": ["Ping", "Pong"]}]},
        \t{"name": "all", "scope": "tenant", "burstPeriod": 2,
        \t "throttleGroups": [{"milliOpsPerSec": 150500, "operations": ["Ping"]}]}]}
        """;
    assertThat(policy(json).buckets()).isEqualTo(policy(BUCKETS).buckets());
  }

  @Test
  void subjectsGetThePlanOfTheirOwnOrOfTheirTenantOrTheDefault() {
    Policy policy = policy(BUCKETS + """
        plans: { a: { buckets: [requests] }, b: { buckets: [all] }, c: }
        defaults: { plan: c }
        tenants: { acme: { plan: b }, globex: }
        subjects:
          k1: { tenant: acme, plan: a }
          k2: { tenant: acme }
          k3: { tenant: globex }
        """);
    assertThat(policy.subject("k1").orElseThrow().plan().name()).isEqualTo("a");
    assertThat(policy.subject("k2").orElseThrow().plan().name()).isEqualTo("b");
    assertThat(policy.subject("k3").orElseThrow().plan().name()).isEqualTo("c");
    assertThat(demands(policy, "k3", "Ping"))
        .extracting(demand -> demand.bucket().name())
        .containsExactly("requests", "all");
  }

  @Test
  void aSubjectOverridesRateAndBurst() {
    Policy policy = policy(BUCKETS + """
        subjects:
          k1: { tenant: acme, overrides: [{ bucket: requests, opsPerSec: 7, burstPeriodMs: 3000 }] }
          k2: { tenant: acme }
        """);
    assertThat(demands(policy, "k1", "Pong").get(0).bucket())
        .matches(bucket ->
            bucket.rate().equals(Rate.ofMilliOpsPerSec(7000)) && bucket.burstMillis() == 3000);
    assertThat(demands(policy, "k2", "Pong").get(0).bucket())
        .matches(bucket ->
            bucket.rate().equals(Rate.ofMilliOpsPerSec(100_000)) && bucket.burstMillis() == 1000);
  }

  @Test
  void bucketsOfEachScopeAreLeasedAlsoWithAnOverride() {
    Policy policy = policy("""
        buckets:
          - { name: own, leased: true, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ping] }] }
          - { name: team, scope: tenant, leased: true, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ping] }] }
          - { name: all, scope: cluster, leased: true, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ping] }] }
        subjects:
          k1: { tenant: acme, overrides: [{ bucket: own, opsPerSec: 7 }] }
        """);
    assertThat(demands(policy, "k1", "Ping"))
        .hasSize(3)
        .allMatch(demand -> demand.bucket().leased());
    assertThat(demands(policy, "k1", "Ping").get(0).bucket().rate())
        .isEqualTo(Rate.ofMilliOpsPerSec(7000));
  }

  @Test
  void anOperationWithAnOverrideLeavesTheKeysSharedBucket() {
    Policy policy = policy(BUCKETS + """
        subjects:
          k1: { tenant: acme, overrides: [{ operation: Ping, milliOpsPerSec: 500 }] }
        """);
    assertThat(demands(policy, "k1", "Ping"))
        .extracting(demand -> demand.bucket().name())
        .containsExactly("op:Ping", "all");
    assertThat(demands(policy, "k1", "Ping").get(0).bucket().burstMillis()).isEqualTo(2000);
    assertThat(demands(policy, "k1", "Pong"))
        .extracting(demand -> demand.bucket().name())
        .containsExactly("requests");
  }

  @Test
  void aTenantOverridesItsBucketForAllItsKeys() {
    Policy policy = policy(BUCKETS + """
        tenants: { acme: { overrides: [{ bucket: all, opsPerSec: 9 }] }, globex: }
        subjects: { k1: { tenant: acme }, k2: { tenant: globex } }
        """);
    assertThat(demands(policy, "k1", "Ping").get(1).bucket().rate())
        .isEqualTo(Rate.ofMilliOpsPerSec(9000));
    assertThat(demands(policy, "k2", "Ping").get(1).bucket().rate())
        .isEqualTo(Rate.ofMilliOpsPerSec(150_500));
  }

  @Test
  void zeroFreezes() {
    Policy policy = policy(BUCKETS + """
        subjects:
          k1: { tenant: acme, overrides: [{ bucket: requests, opsPerSec: 0 }] }
          k2: { tenant: acme, overrides: [{ operation: Pong, opsPerSec: 0 }] }
          k3: { tenant: acme, frozen: true }
        """);
    assertThat(limit(policy, "k1", "Ping")).isInstanceOf(Frozen.class);
    assertThat(limit(policy, "k2", "Pong")).isInstanceOf(Frozen.class);
    assertThat(limit(policy, "k2", "Ping")).isInstanceOf(Limited.class);
    assertThat(limit(policy, "k3", "Anything")).isInstanceOf(Frozen.class);
  }

  @Test
  void aFreezeNamesTheFirstPartThatIsFrozen() {
    Policy policy = policy(BUCKETS + """
        plans: { free: {}, gone: { frozen: true } }
        tenants: { acme: {}, ice: { frozen: true } }
        subjects:
          own: { tenant: ice, plan: gone, frozen: true }
          of-tenant: { tenant: ice, plan: gone }
          of-plan: { tenant: acme, plan: gone }
          of-operation: { tenant: acme, plan: free, overrides: [{ operation: Ping, opsPerSec: 0 }] }
        """);
    assertThat(limit(policy, "own", "Ping")).isEqualTo(new Frozen(FrozenPart.KEY));
    assertThat(limit(policy, "of-tenant", "Ping")).isEqualTo(new Frozen(FrozenPart.TENANT));
    assertThat(limit(policy, "of-plan", "Ping")).isEqualTo(new Frozen(FrozenPart.PLAN));
    assertThat(limit(policy, "of-operation", "Ping")).isEqualTo(new Frozen(FrozenPart.OPERATION));
  }

  @Test
  void theMoreSpecificOfTwoZerosAndRatesWins() {
    Policy policy = policy(BUCKETS + """
        operations: [{ name: Free, unlimited: true }]
        plans:
          p: { overrides: [{ operation: Pong, opsPerSec: 0 }, { operation: Ping, opsPerSec: 3 }] }
        defaults: { plan: p }
        subjects:
          k1: { tenant: acme, overrides: [{ operation: Pong, opsPerSec: 5 }] }
          k2: { tenant: acme, overrides: [{ bucket: requests, opsPerSec: 0 }] }
          k3: { tenant: acme, overrides: [{ operation: Free, opsPerSec: 0 }] }
        """);
    assertThat(demands(policy, "k1", "Pong").get(0).bucket().name()).isEqualTo("op:Pong");
    // The operation has left the frozen bucket.
    assertThat(limit(policy, "k2", "Ping")).isInstanceOf(Limited.class);
    assertThat(limit(policy, "k2", "Pong")).isInstanceOf(Frozen.class);
    assertThat(limit(policy, "k3", "Free")).isInstanceOf(Frozen.class);
  }

  @Test
  void aTenantsOverrideNeedsOneOfItsPlansOnly() {
    Policy policy = policy(BUCKETS + """
        plans: { a: { buckets: [requests] }, b: { buckets: [all] } }
        tenants: { acme: { overrides: [{ bucket: all, opsPerSec: 9 }] } }
        subjects: { k1: { tenant: acme, plan: a }, k2: { tenant: acme, plan: b } }
        """);
    assertThat(demands(policy, "k2", "Ping").get(0).bucket().rate())
        .isEqualTo(Rate.ofMilliOpsPerSec(9000));
  }

  @Test
  void anEmptyCostIsTheDefault() {
    Policy policy =
        policy(BUCKETS + "operations:\n  - name: Ping\n    cost:\n    match: { path: /ping }\n");
    assertThat(policy.routing().rules())
        .extracting(OperationRule::cost)
        .containsExactly(new CostRule.Fixed(1));
  }

  @Test
  void unlimitedSubjectsAndOperationsHaveNoBuckets() {
    Policy policy = policy(BUCKETS + """
        operations: [{ name: Ping, unlimited: true }]
        subjects: { k1: { tenant: acme, unlimited: true }, k2: { tenant: acme } }
        """);
    assertThat(limit(policy, "k1", "Anything")).isInstanceOf(Unlimited.class);
    assertThat(limit(policy, "k2", "Ping")).isInstanceOf(Unlimited.class);
    assertThat(limit(policy, "k2", "Pong")).isInstanceOf(Limited.class);
  }

  @Test
  void unlistedOperationsAreAllowedWhereThePolicySaysSoAndNamedInAWarning() {
    PolicyReading reading = CheckedPolicies.parse("policy", BUCKETS + """
        unlistedOperations: allow
        operations: [{ name: Upload, match: { path: /upload } }]
        subjects: { k1: { tenant: acme } }
        """);
    assertThat(limit(reading.policy(), "k1", "Upload")).isInstanceOf(Unlimited.class);
    assertThat(reading.warnings())
        .filteredOn(problem -> problem.code().equals("operation_unthrottled"))
        .singleElement()
        .extracting(Problem::message)
        .asString()
        .contains("Upload", "allowed");
  }

  @Test
  void fifteenMillionGasASecondAreCounted() {
    Policy policy = policy("""
        buckets:
          - name: gas
            burstPeriod: 60
            throttleGroups: [{ opsPerSec: 15000000, operations: [Call] }]
        """);
    assertThat(policy.buckets().get(0).rate()).isEqualTo(new Rate(15, 1));
    assertThat(policy.buckets().get(0).capacityUnits()).isEqualTo(900_000_000);
  }

  @ParameterizedTest
  @CsvSource({
    "60/min, 1, 1000000",
    "100/min, 1, 600000",
    "1/h, 1, 3600000000",
    "7/d, 7, 86400000000",
    "15000000/s, 15, 1"
  })
  void aRateMayBePerSecondMinuteHourOrDay(String rate, long unitsPerMicro, long perOperation) {
    Policy policy = policy("""
        buckets: [{ name: all, burstPeriod: 86400, throttleGroups: [{ rate: RATE, operations: [Ping] }] }]
        """.replace("RATE", rate));
    assertThat(policy.buckets().get(0).rate()).isEqualTo(new Rate(unitsPerMicro, perOperation));
  }

  @Test
  void groupsWithRatesOfAnyPeriodShareABucketExactly() {
    Policy policy = policy("""
        buckets:
          - name: all
            burstPeriod: 3600
            throttleGroups:
              - { rate: 100/min, operations: [Ping] }
              - { rate: 7/h, operations: [Pong] }
              - { opsPerSec: 3, operations: [Peng] }
        tenants: { acme: }
        subjects: { k1: { tenant: acme } }
        """);
    // The least rate that is a multiple of 5/3, 7/3600 and 3 a second is 105.
    assertThat(policy.buckets().get(0).rate()).isEqualTo(Rate.ofMilliOpsPerSec(105_000));
    assertThat(Stream.of("Ping", "Pong", "Peng")
            .map(operation -> demands(policy, "k1", operation).get(0).logicalOperations()))
        .containsExactly(63L, 54_000L, 35L);
  }

  @Test
  void anOverrideMayHaveARatePerMinute() {
    Policy policy = policy(BUCKETS + """
        tenants: { acme: }
        subjects: { k1: { tenant: acme, overrides: [{ operation: Ping, rate: 6/min, burstPeriod: 60 }] } }
        """);
    assertThat(demands(policy, "k1", "Ping").get(0).bucket().rate())
        .isEqualTo(new Rate(6, 60_000_000));
  }

  @Test
  void theFinerOfTwoRatesCountsAndADifferenceIsAWarning() {
    PolicyReading reading = CheckedPolicies.parse("policy", """
        buckets:
          - name: requests
            burstPeriod: 1
            burstPeriodMs: 2000
            throttleGroups: [{ opsPerSec: 13, milliOpsPerSec: 12500, operations: [Ping] }]
        """);
    assertThat(reading.policy().buckets().get(0))
        .matches(bucket ->
            bucket.rate().equals(Rate.ofMilliOpsPerSec(12_500)) && bucket.burstMillis() == 2000);
    assertThat(reading.warnings())
        .extracting(Problem::code)
        .containsExactly("field_ignored", "field_ignored", "scope_assumed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "| scope_assumed",
        "bucketSet: ordinary | scope_assumed",
        "defaults: { scope: cluster } |",
        "defaults: { scope: key } |",
        "subjects: { k1: { tenant: acme } } |"
      })
  void aThrottleFileThatLimitsEachAccountByItselfIsAWarning(String more, String code) {
    String file = """
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ping] }] }
        """;
    assertThat(
            CheckedPolicies.parse("policy", file + (more == null ? "" : more)).warnings())
        .extracting(Problem::code)
        .isEqualTo(Stream.ofNullable(code).toList());
    assertThat(CheckedPolicies.parse("policy", BUCKETS).warnings())
        .extracting(Problem::code)
        .doesNotContain("scope_assumed");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /contracts/0.0.7, Read",
    "GET, /contracts/0.0.7/, Read",
    "POST, /contracts/0.0.7/call, Call",
    "GET, /contracts/0.0.7/call, Rest",
    "DELETE, /contracts, Rest",
    "GET, /other, none"
  })
  void theFirstRuleThatMatchesWins(String method, String path, String expected) {
    Policy policy = policy(BUCKETS.replace("[Ping, Pong]", "[Ping, Pong, Read, Call, Rest]") + """
        operations:
          - { name: Read, match: { method: GET, path: "/contracts/{id}" } }
          - { name: Call, match: { methods: [POST, PUT], path: "/contracts/{id}/call" } }
          - { name: Rest, match: { path: "/contracts/**" } }
        """);
    Optional<OperationRule> rule = policy.rule(method, PathPattern.segments(path));
    assertThat(rule.map(OperationRule::name).orElse("none")).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "HEAD, /items, Read",
    "HEAD, /items/7, Look",
    "GET, /items/7, ReadOne",
    "HEAD, /files/a, ReadFile",
    "HEAD, /plain, Rest",
    "GET, /plain, Plain",
    "POST, /items, Rest"
  })
  void aRuleForGetTakesHeadUnlessItOrAnotherRuleSaysOtherwise(
      String method, String path, String expected) {
    Policy policy = policy(BUCKETS + """
        operations:
          - { name: Read, match: { method: GET, path: /items } }
          - { name: ReadOne, match: { method: GET, path: "/items/{id}" } }
          - { name: ReadFile, match: { methods: [GET, PUT], path: "/files/{id}" } }
          - { name: Plain, match: { method: GET, path: /plain, head: false } }
          - { name: Look, match: { method: HEAD, path: "/items/{id}" } }
          - { name: Rest, match: { path: "/**" } }
        """);
    assertThat(policy.rule(method, PathPattern.segments(path)).map(OperationRule::name))
        .contains(expected);
  }

  @Test
  void aRuleThatLeavesHeadLeavesItToTheNextRuleForGet() {
    Policy policy = policy(BUCKETS + """
        operations:
          - { name: Read, match: { method: GET, path: /items, head: false } }
          - { name: Look, match: { method: GET, path: /items } }
        """);
    assertThat(policy.rule("HEAD", List.of("items")).map(OperationRule::name)).contains("Look");
  }

  @Test
  void methodsThatNoRuleOfALimitedPathNamesAreNamedInAWarningWhereTheyAreAllowed() {
    String operations = """
        operations:
          - { name: Ping, match: { methods: [GET, POST], path: /ping } }
          - { name: Pong, match: { method: PUT, path: /ping } }
          - { name: Any, match: { method: GET, path: /any } }
          - { name: Rest, match: { path: "/any/**" } }
          - { name: Free, match: { method: GET, path: /free }, unlimited: true }
        subjects: { k1: { tenant: acme } }
        """;
    String allowed = "unlistedOperations: allow\n" + operations;
    assertThat(unlistedMethods(BUCKETS + allowed))
        .singleElement()
        .matches(problem -> problem.location().path().equals("operations[0].match"))
        .matches(problem -> problem.message().contains("limit GET, POST, PUT only"));
    assertThat(unlistedMethods(BUCKETS + operations)).isEmpty();
    String limitsTheRest = BUCKETS.replace("[Ping, Pong]", "[Ping, Pong, unlisted]");
    assertThat(unlistedMethods(limitsTheRest + allowed)).isEmpty();
  }

  private static List<Problem> unlistedMethods(String text) {
    return CheckedPolicies.parse("policy", text).warnings().stream()
        .filter(problem -> problem.code().equals("methods_unlisted"))
        .toList();
  }

  @Test
  void costsComeFromWhereThePolicySays() {
    Policy policy = policy(BUCKETS + """
        operations:
          - { name: Ping, cost: 5 }
          - { name: Pong, cost: { json: /gas/limit, default: 2, max: 50 } }
          - { name: Many, cost: { count: body, max: 100 } }
          - { name: Peng, cost: { json: /gas/limit, default: 2001, max: 5000, divisor: 1000 } }
        """);
    assertThat(policy.routing().rules())
        .extracting(OperationRule::cost)
        .containsExactly(
            new CostRule.Fixed(5),
            new CostRule.Read(CostRule.Source.JSON, "/gas/limit", OptionalLong.of(2), 50),
            new CostRule.Read(CostRule.Source.COUNT, "", OptionalLong.empty(), 100),
            new CostRule.Read(CostRule.Source.JSON, "/gas/limit", OptionalLong.of(3), 5000, 1000));
  }

  @Test
  void theSlotModeOfAPlanIsRead() {
    Policy policy = policy(BUCKETS + """
        plans:
          default: { buckets: [requests, all] }
          own: { buckets: [requests], slots: estimate }
          none: { buckets: [requests], slots: off }
        subjects:
          a: { tenant: t, plan: default, secretHash: "HASH" }
          b: { tenant: t, plan: own, secretHash: "HASH" }
          c: { tenant: t, plan: none, secretHash: "HASH" }
        """.replace("HASH", SecretHash.of("x").formatted()));
    assertThat(slots(policy, "a")).isEqualTo(SlotMode.RESERVE);
    assertThat(slots(policy, "b")).isEqualTo(SlotMode.ESTIMATE);
    assertThat(slots(policy, "c")).isEqualTo(SlotMode.OFF);
  }

  @Test
  void anOperationSaysHowLongItMayBeHeld() {
    Policy policy = policy(BUCKETS + """
        operations:
          - { name: Ping, match: { path: /ping }, maxDelay: 1500ms }
          - { name: Pong, match: { path: /pong } }
        """);
    assertThat(policy.routing().rules())
        .extracting(rule -> rule.excess().maxDelayMillis())
        .containsExactly(1500L, 0L);
  }

  @ParameterizedTest
  @CsvSource({"mainnet.yaml, 8, 8", "small.yaml, 1, 1"})
  void theExamplesAreSound(String name, int buckets, int subjects) throws IOException {
    Policy policy = PolicyDocuments.read(Path.of("../examples", name)).policy();
    assertThat(policy.buckets()).hasSize(buckets);
    assertThat(policy.callers().subjects()).hasSize(subjects);
    assertThat(policy.subject("k1").or(() -> policy.subject("plain"))).isPresent();
  }

  private static Policy policy(String text) {
    return CheckedPolicies.parse("policy", text).policy();
  }

  private static SlotMode slots(Policy policy, String subject) {
    return policy.subject(subject).orElseThrow().plan().slots();
  }

  private static OperationLimit limit(Policy policy, String subject, String operation) {
    return policy.subject(subject).orElseThrow().plan().limit(operation);
  }

  private static List<Demand> demands(Policy policy, String subject, String operation) {
    return ((Limited) limit(policy, subject, operation)).demands();
  }
}
