package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.read.PolicyReader;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.Position;
import io.weir.core.policy.schema.Problem;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One bad policy per fault, named by the code of its problem. */
final class BadPoliciesTest {
  private static final Path FOLDER = Path.of("src/test/resources/policies/bad");

  static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void isRefusedForWhatItIsNamedAfter(Path file) {
    String code = file.getFileName().toString().replaceAll("(--.*)?\\..*", "");
    List<Problem> errors = errorsOf(file);
    assertThat(errors).extracting(Problem::code).contains(code);
    assertThat(errors).allSatisfy(problem -> {
      assertThat(problem.location().position().line()).isPositive();
      assertThat(problem.location().source()).isEqualTo(file.toString());
      assertThat(problem.message()).isNotBlank().doesNotContain("\n");
      assertThat(problem.toString()).doesNotContain("hunter2");
    });
  }

  @Test
  void allProblemsAreReportedAtOnceWithTheirPlaces() {
    String text = """
        colour: blue
        buckets:
          - { name: requests, burstPeriodMs: 100, throttleGroups: [{ opsPerSec: 3, operations: [Ping] }] }
          - { name: "", burstPeriod: 1, throttleGroups: [] }
          - name: writes
            burstPeriod: 1
            throttleGroups:
              - { opsPerSec: 0, operations: [Put] }
              - { opsPerSec: five, operations: [] }
        """;
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyDocuments.parse("all.yaml", text));
    assertThat(invalid.problems())
        .extracting(problem -> problem.location() + " " + problem.code())
        .containsExactlyInAnyOrder(
            "all.yaml:3:5: buckets[0] burst_too_small",
            "all.yaml:4:13: buckets[1].name field_missing",
            "all.yaml:4:49: buckets[1].throttleGroups bucket_without_groups",
            "all.yaml:8:9: buckets[2].throttleGroups[0] group_rate_zero",
            "all.yaml:9:22: buckets[2].throttleGroups[1].opsPerSec value_invalid",
            "all.yaml:9:40: buckets[2].throttleGroups[1].operations group_without_operations",
            "all.yaml:1:9: colour field_unknown");
    assertThat(invalid.problems().get(0).message()).contains("expected: at least 334 ms");
  }

  @Test
  void aReferenceToALimitWithErrorsIsNoFurtherProblem() {
    String text = """
        operations: [{ name: Get, match: { path: /get } }]
        buckets:
          - { name: requests, burstPeriod: 1, throttleGroups: [{ rate: -5/s, operations: [Get] }] }
        quotas: [{ name: daily, limit: -1, period: day, operations: [Get] }]
        plans:
          free: { buckets: [requests], limits: [daily] }
          gold: { buckets: [requests, request], limits: [] }
        subjects: { k1: { tenant: acme, plan: free }, k2: { tenant: acme, plan: gold } }
        """;
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyDocuments.parse("p.yaml", text));
    assertThat(invalid.problems())
        .extracting(problem -> problem.location().path() + " " + problem.code())
        .containsExactlyInAnyOrder(
            "buckets[0].throttleGroups[0].rate value_invalid",
            "quotas[0].limit value_invalid",
            "plans.gold.buckets[1] bucket_unknown");
  }

  @Test
  void precisionNamesTheRatesAndTheirMultiple() {
    assertThat(errorsOf(FOLDER.resolve("bucket_precision_exceeded.yaml")).get(0).message())
        .contains(
            "1000003000 milliOpsPerSec, 1000033000 milliOpsPerSec",
            "1000036000099 times",
            "4000 ms",
            "9007000000000");
  }

  @Test
  void theErrorOfAFractionalRateNamesTheOtherForm() {
    assertThat(errorsOf(FOLDER.resolve("value_invalid--fraction.yaml")))
        .extracting(Problem::message)
        .anyMatch(message -> message.contains("a whole number from 0 to 9007000000;")
            && message.contains("rate: with a whole number per s, min, h or d, such as 60/min"))
        .anyMatch(message -> message.contains("a rate such as 10/s, 60/min, 100/h or 1/d"));
  }

  @Test
  void everyInvalidSettingOfPlacesIsReportedWithTheExpectedValues() {
    assertThat(errorsOf(FOLDER.resolve("value_invalid--slots.yaml")))
        .filteredOn(problem -> problem.code().equals("value_invalid"))
        .extracting(problem ->
            problem.location().position().line() + " " + problem.location().path())
        .containsExactlyInAnyOrder(
            "4 operations[0].maxDelay",
            "5 operations[1].maxDelay",
            "7 plans.a.slots",
            "8 plans.b.slots");
  }

  @Test
  void moreBucketsThanTheBoundAreRefused() {
    String bucket =
        "{ name: b%d, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1, operations: [Ping] }] }";
    assertThat(errorsOf("buckets: " + listed(501, bucket)))
        .extracting(problem -> problem.location() + " " + problem.code())
        .containsExactly("many.yaml:1:10: buckets too_many_buckets");
  }

  @Test
  void moreLimitsOfOtherKindsThanTheBoundAreRefused() {
    String bucket =
        "buckets: [{ name: a, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ping] }] }]";
    assertThat(errorsOf(bucket + "\npermits: " + listed(101, "{ name: p%d, limit: 1 }")))
        .extracting(problem -> problem.location() + " " + problem.code())
        .containsExactly("many.yaml:1:1: quotas too_many_limits");
  }

  private static String listed(int number, String item) {
    return IntStream.range(0, number)
        .mapToObj(item::formatted)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  @Test
  void aMillionFaultsAreBounded() {
    String group = "{ opsPerSec: 0, operations: [] },";
    String text = "buckets: [{ name: requests, burstPeriod: 1, throttleGroups: ["
        + group.repeat((1 << 20) / group.length())
        + "] }]";
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyDocuments.parse("large.yaml", text));
    assertThat(invalid.problems()).hasSize(101);
    assertThat(invalid.problems().get(100).code()).isEqualTo("more_problems");
  }

  @Test
  void theWorkForUnknownFieldsIsLinearAndSmall() {
    Map<String, DocumentValue> fields = new LinkedHashMap<>();
    for (int i = 0; i < 100_000; i++) {
      fields.put("field-number-" + i, new DocumentValue.Numeral(new Position(i, 1), "1"));
    }
    DocumentValue document = new DocumentValue.Mapping(Position.START, fields);
    long before = allocated();
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyReader.read("unknown.json", document));
    assertThat((allocated() - before) / fields.size()).isLessThan(600);
    assertThat(invalid.problems()).hasSize(101);
    assertThat(invalid.problems().get(100).message()).contains("more that are not listed");
  }

  @Test
  void theWorkForASubjectDoesNotGrowWithTheNumberOfPlans() {
    long few = allocatedForSubjectsAndPlans(300);
    long many = allocatedForSubjectsAndPlans(3000);
    assertThat(many).isLessThan(15 * few);
  }

  private static long allocatedForSubjectsAndPlans(int number) {
    DocumentValue document = PolicyDocuments.document(
        "plans.yaml", plans(number, "plan-1") + "defaults: { plan: plan-0 }");
    long before = allocated();
    PolicyReader.read("plans.yaml", document);
    return allocated() - before;
  }

  @Test
  void anUnknownPlanIsReportedWithSomeOfManyPlans() {
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class,
        () -> PolicyDocuments.parse("plans.yaml", plans(3000, "gold")));
    assertThat(invalid.problems().get(0).toString())
        .contains("value_invalid: 'gold' (expected: one of the plans plan-0, plan-1, ")
        .endsWith(", plan-19, …)");
  }

  /** As many plans as subjects; all of these have one plan. */
  private static String plans(int number, String plan) {
    StringBuilder text = new StringBuilder("""
        buckets:
          - { name: api, burstPeriod: 1, throttleGroups: [{ opsPerSec: 3, operations: [Ping] }] }
        plans:
        """);
    for (int i = 0; i < number; i++) {
      text.append("  plan-%d: {}%n".formatted(i));
    }
    text.append("subjects:\n");
    for (int i = 0; i < number; i++) {
      text.append("  key-%d: { tenant: acme, plan: %s }%n".formatted(i, plan));
    }
    return text.toString();
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @Test
  void aDocumentOverTheBoundIsNotRead() {
    String text = "#".repeat(PolicyDocuments.MAX_BYTES + 1);
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyDocuments.parse("huge.yaml", text));
    assertThat(invalid.problems()).extracting(Problem::code).containsExactly("policy_unparseable");
  }

  static Stream<Arguments> mistakesOfYaml() {
    return Stream.of(
        Arguments.of(
            "buckets:\n  - { name: a, burstPeriod: 1", 2, "line 2: expected ',' or '}', but got"),
        Arguments.of("a: 1\nbuckets:\n\t- 1", 3, "'\\t(TAB)' that cannot start any token"),
        Arguments.of("a: 1\n b: 2", 2, "mapping values are not allowed here"),
        Arguments.of("a: 'x", 1, "line 1: found unexpected end of stream"),
        Arguments.of("a:\n  - 1\n b: 2", 3, "line 1: expected <block end>, but found"),
        Arguments.of("a: 1\na: 2", 2, "Duplicate field 'a'"));
  }

  @ParameterizedTest
  @MethodSource("mistakesOfYaml")
  void anErrorOfYamlIsReportedInFullWithItsCause(String text, int line, String told) {
    InvalidPolicyException invalid = catchThrowableOfType(
        InvalidPolicyException.class, () -> PolicyDocuments.parse("p.yaml", text));
    Problem problem = invalid.problems().get(0);
    assertThat(problem.message()).contains(told).doesNotContain("\n");
    assertThat(problem.location().position().line()).isBetween(line, line + 1);
  }

  private static List<Problem> errorsOf(Path file) {
    return errorsOf(() -> PolicyDocuments.read(file));
  }

  private static List<Problem> errorsOf(String text) {
    return errorsOf(() -> PolicyDocuments.parse("many.yaml", text));
  }

  private static List<Problem> errorsOf(ThrowingCallable reading) {
    InvalidPolicyException invalid = catchThrowableOfType(InvalidPolicyException.class, reading);
    assertThat(invalid).as("the policy is refused").isNotNull();
    return invalid.problems().stream()
        .filter(problem -> problem.severity() == Problem.Severity.ERROR)
        .toList();
  }
}
