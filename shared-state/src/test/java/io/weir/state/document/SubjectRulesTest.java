package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.Access;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.core.policy.schema.Problem;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Subjects that the policy does not list: covered by a rule, or defined elsewhere. */
final class SubjectRulesTest {
  private static final String BUCKETS = """
      buckets:
        - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
        - { name: all, scope: tenant, burstPeriod: 10, throttleGroups: [{ opsPerSec: 50, operations: [Ask] }] }
      plans:
        free: { buckets: [calls, all] }
        gold: { buckets: [calls, all], overrides: [{ bucket: calls, opsPerSec: 100 }] }
      defaults: { plan: free }
      """;

  private static PolicyReading read(String more) {
    return PolicyDocuments.parse("test", BUCKETS + more);
  }

  private static double opsPerSec(Plan plan, String bucket) {
    return ((Limited) plan.limit("Ask"))
        .demands().stream()
            .filter(demand -> demand.bucket().name().equals(bucket))
            .findFirst()
            .orElseThrow()
            .bucket()
            .rate()
            .opsPerSec();
  }

  @Test
  void theFirstRuleThatMatchesCountsAndAListedSubjectWins() {
    Policy policy = read("""
            subjects:
              - { match: "user:vip-*", tenant: app, plan: gold }
              - { match: "user:*", tenant: app }
              - { id: k1, tenant: acme }
              - { match: "k*", tenant: rest }
            """).policy();
    assertThat(policy.subject("user:vip-7").map(it -> it.plan().name())).contains("gold");
    assertThat(policy.subject("user:7").map(it -> it.plan().name())).contains("free");
    assertThat(policy.subject("k1").map(Subject::tenant)).contains("acme");
    assertThat(policy.subject("k2").map(Subject::tenant)).contains("rest");
    assertThat(policy.subject("x")).isEmpty();
    assertThat(policy.subject("user:a b")).isEmpty();
    assertThat(policy.listed("k2")).isEmpty();
  }

  @Test
  void aRuleThatNeverMatchesIsAWarning() {
    List<Problem> warnings = read("""
            subjects:
              - { match: "user:*", tenant: app }
              - { match: "user:vip-*", tenant: app, plan: gold }
            """).warnings();
    assertThat(warnings)
        .filteredOn(it -> it.code().equals("subject_rule_unreachable"))
        .singleElement()
        .satisfies(it -> assertThat(it.location().path()).isEqualTo("subjects[1].match"));
  }

  private static SubjectEntry entry(Optional<String> plan, TenantEntry tenant) {
    return new SubjectEntry("k9", "acme", plan, Access.LIMITED, List.of(), tenant);
  }

  @Test
  void aRecordIsCompiledByItsPlanThatOfItsTenantAndTheDefault() {
    Policy policy = read("").policy();
    TenantEntry gold = new TenantEntry(Optional.of("gold"), Access.LIMITED, List.of());
    assertThat(name(policy.compile(entry(Optional.empty(), TenantEntry.NONE)))).isEqualTo("free");
    assertThat(name(policy.compile(entry(Optional.empty(), gold)))).isEqualTo("gold");
    assertThat(name(policy.compile(entry(Optional.of("free"), gold)))).isEqualTo("free");
    assertThat(policy.compile(entry(Optional.of("none"), gold)).plan()).isEmpty();
    // Keys without overrides share their plan, so that what is made of it once is used by all.
    assertThat(
            policy.compile(entry(Optional.of("gold"), TenantEntry.NONE)).plan().orElseThrow())
        .isSameAs(policy.plans().get("gold"));
  }

  @Test
  void whatThePolicySaysOfATenantWins() {
    Policy policy = read("""
            tenants:
              acme: { overrides: [{ bucket: all, opsPerSec: 70 }] }
            """).policy();
    TenantEntry frozen = new TenantEntry(Optional.of("gold"), Access.FROZEN, List.of());
    Plan plan = policy.compile(entry(Optional.empty(), frozen)).plan().orElseThrow();
    assertThat(plan.name()).isEqualTo("free");
    assertThat(opsPerSec(plan, "all")).isEqualTo(70.0);
  }

  private static String name(Compiled compiled) {
    return compiled.plan().orElseThrow().name();
  }
}
