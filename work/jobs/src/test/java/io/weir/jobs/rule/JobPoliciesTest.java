package io.weir.jobs.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.schema.Problem;
import io.weir.jobs.rule.JobRule.ReceiptWait;
import io.weir.state.testing.CheckedPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs in a policy. */
final class JobPoliciesTest {
  private static PolicyReading read(String operation) {
    return CheckedPolicies.parse("jobs.yaml", """
        operations:
          - %s
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Proof] }] }
        """.formatted(operation));
  }

  private static PolicyReading readJob(String job) {
    return read("{ name: Proof, match: { path: /proof }, mode: job, job: { %s } }".formatted(job));
  }

  private static JobRule rule(String job) {
    return readJob(job).policy().rule("Proof").flatMap(JobRule::of).orElseThrow();
  }

  private static InvalidPolicyException refused(String operation) {
    return catchThrowableOfType(InvalidPolicyException.class, () -> read(operation));
  }

  @Test
  void givenValuesCountAndTheRestIsAsUsual() {
    JobRule rule = rule(
        "dispatchPerSecond: 7, minWait: 2s, readinessPath: /ready, learned: true, "
            + "receiptWaits: [{ after: 0s, wait: 3s }, { after: 2m, wait: 1m }], headers: [X-Color], failures: [404, 5xx]");
    assertThat(rule.value(JobParameter.DISPATCH_PER_SECOND)).isEqualTo(7);
    assertThat(rule.value(JobParameter.MIN_WAIT)).isEqualTo(2000);
    assertThat(rule.value(JobParameter.MAX_WAIT)).isEqualTo(300_000);
    assertThat(rule.isDual()).isTrue();
    assertThat(rule.waits().isLearned()).isTrue();
    assertThat(rule.waits().receiptWaits())
        .containsExactly(new ReceiptWait(0, 3000), new ReceiptWait(120_000, 60_000));
    assertThat(rule.protocol().headers()).containsExactly("x-color");
    assertThat(rule.isFailure(404)).isTrue();
    assertThat(rule.isFailure(503)).isTrue();
    assertThat(rule.isFailure(700)).isTrue();
    assertThat(rule.isFailure(422)).isFalse();
    assertThat(rule.isFailure(200)).isFalse();
    assertThat(rule("failures: []").isFailure(500)).isFalse();
  }

  @Test
  void withoutSettingsAllIsAsUsual() {
    OperationRule rule = read("{ name: Proof, match: { path: /proof }, mode: job }")
        .policy()
        .rule("Proof")
        .orElseThrow();
    assertThat(JobRule.of(rule)).contains(JobRule.DEFAULT);
    assertThat(JobRule.DEFAULT.isFailure(500)).isTrue();
    assertThat(JobRule.DEFAULT.isFailure(499)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(JobParameter.class)
  void eachParameterHasItsBounds(JobParameter parameter) {
    String unit = parameter.type() == JobParameter.Type.DURATION ? "ms" : "";
    String more = switch (parameter) {
      case MIN_WAIT -> ", maxWait: 60m";
      case BYTES_OF_KEY -> ", bytesOfTenant: 17179869184, bytesInAll: 17179869184";
      case BYTES_OF_TENANT -> ", bytesOfKey: 1024, bytesInAll: 17179869184";
      case BYTES_IN_ALL -> ", bytesOfKey: 1024, bytesOfTenant: 1024";
      case MAX_WAIT -> ", minWait: 1s";
      default -> "";
    };
    boolean meetsTheOther =
        parameter == JobParameter.MIN_WAIT || parameter == JobParameter.MAX_WAIT;
    long min = parameter.min() + (parameter == JobParameter.MAX_WAIT ? 1000 : 0);
    long max = parameter.max() - (parameter == JobParameter.MIN_WAIT ? 1000 : 0);
    for (long sound : new long[] {min, max, parameter.initial()}) {
      assertThat(rule(parameter.field() + ": " + sound + unit + more).value(parameter))
          .isEqualTo(sound);
    }
    for (long wrong : new long[] {parameter.min() - 1, parameter.max() + 1}) {
      String text = parameter.field() + ": " + (wrong < 0 ? "-1" : wrong + unit) + more;
      InvalidPolicyException refusal = refused(
          "{ name: Proof, match: { path: /proof }, mode: job, job: { %s } }".formatted(text));
      assertThat(refusal.problems())
          .as("%s, beside another: %s", text, meetsTheOther)
          .anyMatch(problem -> problem.code().equals("value_invalid")
              && problem.location().path().equals("operations[0].job." + parameter.field()));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "job_mode         | { name: Proof, match: { path: /proof }, job: { capacity: 7 } }",
        "job_match        | { name: Proof, mode: job }",
        "job_field        | { name: Proof, match: { path: /proof }, mode: job, settle: { trailer: X-Cost } }",
        "job_field        | { name: Proof, match: { path: /proof }, mode: job, maxDelay: 3s }",
        "upstream_unknown | { name: Proof, match: { path: /proof }, mode: job, upstream: rpc }",
        "value_invalid    | { name: Proof, match: { path: /proof }, mode: later }",
        "wait_bounds      | { name: Proof, match: { path: /proof }, mode: job, job: { minWait: 9s, maxWait: 9s } }",
        "bytes_bounds     | { name: Proof, match: { path: /proof }, mode: job, job: { bytesOfKey: 2000000000 } }",
        "waits_not_ascending | { name: Proof, match: { path: /proof }, mode: job, job: { receiptWaits: [{ after: 1s, wait: 1s }, { after: 1s, wait: 2s }] } }",
        "field_missing    | { name: Proof, match: { path: /proof }, mode: job, job: { receiptWaits: [{ after: 1s }] } }",
        "header_secret    | { name: Proof, match: { path: /proof }, mode: job, job: { headers: [Authorization] } }",
        "field_unknown    | { name: Proof, match: { path: /proof }, mode: job, job: { speed: 7 } }",
        "value_invalid    | { name: Proof, match: { path: /proof }, mode: job, job: { failures: [200] } }",
        "value_invalid    | { name: Proof, match: { path: /proof }, mode: job, job: { readinessPath: ready } }"
      })
  void mistakesAreNamed(String code, String operation) {
    assertThat(refused(operation).problems()).extracting(Problem::code).contains(code);
  }

  @Test
  void theMarginMayBeADecimalNumber() {
    assertThat(rule("margin: 0.25").value(JobParameter.MARGIN)).isEqualTo(250);
    assertThat(rule("margin: 1").value(JobParameter.MARGIN)).isEqualTo(1);
    assertThat(refused("{ name: Proof, match: { path: /proof }, mode: job, job: { margin: 1.0 } }")
            .problems())
        .extracting(Problem::message)
        .first()
        .asString()
        .contains("1 or 1000, whichever is meant, in thousandths");
  }

  @Test
  void unusedSettingsAreWarnedOf() {
    assertThat(readJob("processingTime: 2s, readinessConcurrency: 7").warnings())
        .extracting(Problem::code)
        .containsExactly("readiness_unused");
  }

  @Test
  void anAssumedProcessingTimeIsWarnedOf() {
    assertThat(readJob("capacity: 7").warnings())
        .extracting(Problem::code)
        .containsExactly("processing_time_assumed");
    assertThat(read("{ name: Proof, match: { path: /proof }, mode: job }").warnings())
        .hasSize(1);
    assertThat(readJob("processingTime: 6s").warnings()).isEmpty();
    assertThat(readJob("learned: true").warnings()).isEmpty();
  }
}
