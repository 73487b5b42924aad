package io.weir.node.envoy.rule;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Subject;
import io.weir.state.document.PolicyDocuments;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Domains in a policy, and the rules that their descriptors have. */
final class EnvoyPoliciesTest {
  private static final String NONE = "-";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // the value itself before wildcards, these before any value
        "path=/login | exact",
        "path=/login/now | prefix",
        "path=/v1/a/end | middle",
        "path=/other | any",
        // a wildcard may take the place of nothing
        "path=/login/ | prefix",
        // nested, and only in this order and to this depth
        "path=/login,address=10.0.0.1 | nested",
        "address=10.0.0.1 | -",
        "address=10.0.0.1,path=/login | -",
        "path=/login,address=10.0.0.1,more=1 | -",
        // the nearest rules so far count, also where they go no further
        "path=/other,address=10.0.0.1 | -",
        "unknown=1 | -",
        // first wildcard that matches
        "two=ab | first"
      })
  void theNearestRuleCounts(String descriptor, String name) {
    EnvoyDomain domain = domain("""
        rules:
          - { match: [{ key: path }], requests: 1, per: second, name: any }
          - { match: [{ key: path, value: /login }], requests: 1, per: second, name: exact }
          - { match: [{ key: path, value: "/login/*" }], requests: 1, per: second, name: prefix }
          - { match: [{ key: path, value: "/v1/*/end" }], requests: 1, per: second, name: middle }
          - { match: [{ key: path, value: /login }, { key: address }], requests: 1, per: second, name: nested }
          - { match: [{ key: two, value: "a*" }], requests: 1, per: second, name: first }
          - { match: [{ key: two, value: "*b" }], requests: 1, per: second, name: second }
        """);
    assertThat(domain.rule(entries(descriptor)).map(EnvoyRule::name).orElse(NONE))
        .isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "second,1000000",
    "minute,60000000",
    "hour,3600000000",
    "day,86400000000",
    "week,604800000000",
    "year,31536000000000"
  })
  void aLimitIsABucketOfOneUnit(String unit, long micros) {
    for (long requests : new long[] {1, 7, 100, 999_999, 1_000_001, UnitLimit.MOST}) {
      Demand demand = limited(requests, unit).demands().get(0);
      long capacity = demand.operationsIn(demand.bucket().capacityUnits());
      assertThat(capacity).isLessThanOrEqualTo(requests);
      assertThat(requests - capacity).isLessThanOrEqualTo(1 + requests / 1_000_000);
      assertThat(demand.bucket().burstMillis() * 1000).isEqualTo(micros);
    }
  }

  @Test
  void aMonthIsOneOfTheCalendar() {
    List<KindDemand> others = limited(5, "month").others();
    assertThat(others).singleElement().satisfies(quota -> {
      assertThat(quota.quota()).isEqualTo(5);
      assertThat(quota.words(0)).startsWith("5 0 80 0 calendar ");
    });
  }

  @Test
  void aLimitOfNothingLetsNothingPass() {
    Subject subject = subject(
            domain("rules: [{ match: [{ key: a }], requests: 0, per: day }]"), "a=1")
        .orElseThrow();
    assertThat(subject.plan().limit("a")).isInstanceOf(Frozen.class);
  }

  @Test
  void eachCombinationOfValuesIsASubjectOfTheTenant() {
    EnvoyDomain domain = domain("""
        tenant: acme
        failureMode: allow
        rules:
          - { match: [{ key: "a b" }, { key: c }], requests: 1, per: day }
          - { match: [{ key: "files", value: "/f/*", shared: true }], requests: 1, per: day }
        """);
    Subject subject = subject(domain, "a b=x:1,c=ü*").orElseThrow();
    assertThat(subject.id()).isEqualTo("edge:a%20b=x%3A1,c=%C3%BC%2A");
    assertThat(subject.tenant()).isEqualTo("acme");
    assertThat(subject.plan().name()).isEqualTo("envoy:edge");
    assertThat(subject.plan().failureMode()).isEqualTo(FailureMode.ALLOW);
    assertThat(subject.plan().operations()).containsExactly("a_b.c");
    assertThat(subject(domain, "files=/f/1").orElseThrow().id())
        .isEqualTo(subject(domain, "files=/f/2").orElseThrow().id())
        .isEqualTo("edge:files=*/f/%2A");
  }

  @Test
  void longNamesStayDifferentAndShort() {
    EnvoyDomain domain = domain("rules: [{ match: [{ key: a }], requests: 1, per: day }]");
    Set<String> names = new HashSet<>();
    for (String end : List.of("", "x", "y", "~", "*")) {
      String id = subject(domain, "a=" + "v".repeat(500) + end).orElseThrow().id();
      assertThat(id).hasSize(128);
      names.add(id);
      // The name of a long value cannot be had by another value.
      names.add(
          subject(domain, "a=" + id.substring("edge:a=".length())).orElseThrow().id());
    }
    assertThat(names).hasSize(10);
  }

  @Test
  void aSubjectIsFoundAgainInALaterPolicy() {
    Subject before = subject(
            domain("rules: [{ match: [{ key: a }], requests: 1, per: day }]"), "a=1")
        .orElseThrow();
    Subject after =
        before.in(PolicyDocuments.parse("later", policy("""
            rules: [{ match: [{ key: a, value: 1 }], requests: 0, per: day, name: a }]
            """)).policy()).orElseThrow();
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.plan().limit("a")).isInstanceOf(Frozen.class);
    assertThat(before.in(PolicyDocuments.parse("none", "buckets: []").policy())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rules: [{ requests: 1, per: day }] | field_missing",
        "rules: [{ match: [], requests: 1, per: day }] | value_invalid",
        "rules: [{ match: [{ value: x }], requests: 1, per: day }] | field_missing",
        "rules: [{ match: [{ key: a, colour: x }], requests: 1, per: day }] | field_unknown",
        "rules: [{ match: [{ key: a }], requests: 4294967296, per: day }] | value_invalid",
        "rules: [{ match: [{ key: a }], requests: 1, per: fortnight }] | value_invalid",
        "rules: [{ match: [{ key: a }] }] | limit_ambiguous",
        "rules: [{ match: [{ key: a }], requests: 1 }] | limit_ambiguous",
        "rules: [{ match: [{ key: a }], requests: 1, per: day, unlimited: true }] | limit_ambiguous",
        "rules: [{ match: [{ key: a }], unlimited: true }, { match: [{ key: a }], unlimited: true }] | rule_repeated",
        "rules: [{ match: [{ key: a }], unlimited: true, replaces: [b] }] | rule_unknown",
        "rules: [{ match: [{ key: a }], unlimited: true, name: b, replaces: [b] }] | rule_unknown",
        "rules: [{ match: [{ key: a }], unlimited: true, quota_mode: true }] | field_unknown",
        "rules: [{ match: [{ key: a }], requests: 1, per: week, divided: true }] | divided_too_long",
        "rules: [{ match: [{ key: a }], requests: 1, per: month, divided: true }] | divided_too_long",
        "rules: [{ match: [{ key: b }, { key: a }], requests: 1, per: day, divided: true }] | divided_unordered",
        "rules: [{ match: [{ key: a }, { key: a }], requests: 1, per: day, divided: true }] | divided_unordered",
        "rules: [{ match: [{ key: a }], unlimited: true, divided: true }] | divided_with_options",
        "rules: [{ match: [{ key: a, shared: true }], requests: 1, per: day, divided: true }] | divided_with_options",
        "rules: [{ match: [{ key: a }], requests: 1, per: day, mode: audit, divided: true }] | divided_with_options",
        "rules: [{ match: [{ key: a }], requests: 1, per: day, override: true, divided: true }] | divided_with_options",
        "rules: [{ match: [{ key: a }], requests: 1, per: day, afterwards: true, divided: true }] | divided_with_options",
        "rules: [{ match: [{ key: a }], subject: a, operation: A, afterwards: true }] | subject_with_options operation_unknown",
        "rules: [{ match: [{ key: a }], requests: 1, per: day, mode: all }] | value_invalid",
        "rules: [{ match: [{ key: a }], subject: a }] | subject_incomplete",
        "rules: [{ match: [{ key: a }], operation: A }] | subject_incomplete limit_ambiguous operation_unknown",
        "rules: [{ match: [{ key: a }], subject: a, operation: A }] | operation_unknown",
        "rules: [{ match: [{ key: a }], subject: a, operation: A, unlimited: true }] | limit_ambiguous operation_unknown",
        "rules: [{ match: [{ key: a }], subject: b, operation: A }] | subject_unmatched operation_unknown",
        "rules: [{ match: [{ key: a }], subject: a, operation: A, mode: audit }] | subject_with_options operation_unknown",
        "tenant: 'a b' | value_invalid",
        "failureMode: maybe | value_invalid"
      })
  void mistakesAreReported(String domain, String expected) {
    assertThat(codes(policy(domain))).containsExactlyInAnyOrder(expected.split(" "));
  }

  @Test
  void allMistakesAreReportedWithTheirLines() {
    InvalidPolicyException invalid = refused(policy("""
        rules:
          - { match: [{ key: a }], requests: -1, per: day }
          - { match: [{ key: b }], requests: 1, per: often }
        """));
    assertThat(invalid.problems())
        .extracting(problem ->
            problem.location().position().line() + " " + problem.location().path())
        .containsExactly("5 envoy.edge.rules[0].requests", "6 envoy.edge.rules[1].per");
  }

  @Test
  void aDomainWhoseNameIsNoTenantNeedsOne() {
    assertThat(codes("buckets: []\nenvoy: { edge.one: { rules: [] } }"))
        .containsExactly("tenant_unknown");
    assertThat(PolicyDocuments.parse(
                "p", "buckets: []\nenvoy: { edge.one: { tenant: edge, rules: [] } }")
            .warnings())
        .isEmpty();
  }

  @Test
  void thereAreAtMostAHundredDomains() {
    StringBuilder many = new StringBuilder("buckets: []\nenvoy: { d0: { }");
    for (int i = 1; i <= 100; i++) {
      many.append(", d").append(i).append(": { }");
    }
    assertThat(codes(many + " }")).containsExactly("too_many_domains");
  }

  private static String policy(String domain) {
    return "buckets: []\nenvoy:\n  edge:\n" + domain.strip().indent(4);
  }

  private static EnvoyDomain domain(String domain) {
    return EnvoyDomains.of(PolicyDocuments.parse("envoy.yaml", policy(domain)).policy())
        .find("edge")
        .orElseThrow();
  }

  private static Limited limited(long requests, String unit) {
    Subject subject = subject(
            domain("rules: [{ match: [{ key: a }], requests: %d, per: %s }]"
                .formatted(requests, unit)),
            "a=1")
        .orElseThrow();
    return (Limited) subject.plan().limit("a");
  }

  private static Optional<Subject> subject(EnvoyDomain domain, String descriptor) {
    List<Entry> entries = entries(descriptor);
    return domain.rule(entries).map(rule -> domain.subject(rule, entries, Optional.empty()));
  }

  private static List<Entry> entries(String descriptor) {
    List<Entry> entries = new ArrayList<>();
    for (String entry : descriptor.split(",", -1)) {
      int at = entry.indexOf('=');
      entries.add(new Entry(entry.substring(0, at), entry.substring(at + 1)));
    }
    return entries;
  }

  private static List<String> codes(String policy) {
    return refused(policy).problems().stream().map(problem -> problem.code()).toList();
  }

  private static InvalidPolicyException refused(String policy) {
    return requireNonNull(catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyDocuments.parse("envoy.yaml", policy)));
  }
}
