package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.schema.Problem;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.testing.CheckedPolicies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The JSON Schema accepts what Weir accepts, and refuses wrong types, bounds and names of fields. */
final class PolicySchemaTest {
  private static final Path EXAMPLES = Path.of("../../examples");
  private static final Path BAD = Path.of("../../shared-state/src/test/resources/policies/bad");
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Set<String> CODES =
      Set.of("field_unknown", "field_missing", "name_invalid", "value_invalid");
  private static final String BUCKETS =
      "buckets: [{ name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]";

  static List<Path> examples() throws IOException {
    return yaml(EXAMPLES);
  }

  static List<Path> bad() throws IOException {
    return yaml(BAD);
  }

  private static List<Path> yaml(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyExampleIsOfTheSchema(Path example) throws IOException {
    assertThat(CheckedPolicies.problems(Files.readString(example))).isEmpty();
  }

  @Test
  void everyPolicyOfTheReferenceIsOfTheSchema() throws IOException {
    String reference = Files.readString(Path.of("../../docs/reference/policy.md"));
    List<String> policies =
        YAML.matcher(reference).results().map(found -> found.group(1)).toList();
    assertThat(policies).isNotEmpty();
    policies.forEach(
        policy -> assertThat(CheckedPolicies.problems(policy)).as(policy).isEmpty());
  }

  @ParameterizedTest
  @MethodSource("bad")
  void badPoliciesOfAWrongFormAreNotOfTheSchema(Path file) throws IOException {
    String text = Files.readString(file);
    boolean isOfWrongForm = errors(text).stream()
        .anyMatch(problem -> CODES.contains(problem.code()) && !isOfMeaning(problem));
    if (isOfWrongForm) {
      assertThat(CheckedPolicies.problems(text)).isNotEmpty();
    }
  }

  // The form of a URL, a zone or a duration is right; its meaning is wrong.
  private static boolean isOfMeaning(Problem problem) {
    return Stream.of("a duration", "a time zone", "http://", "pairs", "one of the plans")
        .anyMatch(problem.message()::contains);
  }

  private static List<Problem> errors(String text) {
    try {
      PolicyDocuments.parse("bad", text);
      return List.of();
    } catch (InvalidPolicyException e) {
      return e.problems();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type            | extendBursts: some",
        "type            | operations: { name: Ask }",
        "type            | upstreams: { rpc: { providers: [7] } }",
        "bounds          | windows: { w: { width: 1001 } }",
        "bounds          | windows: { w: { width: 0 } }",
        "bounds          | windows: { w: { width: 1.5 } }",
        "bounds          | operations: [{ name: Ask, cost: 0 }]",
        "bounds          | upstreams: { rpc: { providers: [{ name: a, url: 'http://a' }], health: { path: /, statuses: [600] } } }",
        "bounds          | upstreams: { rpc: { providers: [{ name: a, url: 'http://a' }], retry: { budget: 101 } } }",
        "bounds          | upstreams: { rpc: { providers: [{ name: a, url: 'http://a' }], retry: { jitter: 1.5 } } }",
        "bounds          | upstreams: { rpc: { providers: [{ name: a, url: 'http://a' }], retry: { factor: 0.5 } } }",
        "bounds          | warnings: { near: { to: ops, at: [1.5] } }",
        "form            | windows: { w: { lease: 5 s } }",
        "form            | operations: [{ name: 'a b' }]",
        "form            | subjects: { k1: { tenant: a, secretHash: md5 } }",
        "form            | upstream: { url: 'http://u:p@host' }",
        "name            | windows: { 'a b': { } }",
        "word            | unlistedOperations: maybe",
        "word            | plans: { p: { slots: often } }",
        "unknown         | colour: blue",
        "unknown         | windows: { w: { wide: 1 } }",
        "unknown         | operations: [{ name: Ask, mode: job, job: { speed: 7 } }]",
        "unknown         | plans: { p: { overrides: [{ limits: month, limit: 5, rate: 1/s }] } }",
        "missing         | operations: [{ cost: 5 }]",
        "missing         | upstream: { timeoutMs: 5 }",
        "missing         | subjects: { k1: { } }",
        "missing         | quotas: [{ name: month, limit: 5 }]",
        "missing         | plans: { p: { overrides: [{ limits: month }] } }"
      })
  void wrongFieldsAreNotOfTheSchema(String fault, String fields) {
    assertThat(CheckedPolicies.problems(BUCKETS)).isEmpty();
    assertThat(CheckedPolicies.problems(BUCKETS + "\n" + fields)).as(fault).isNotEmpty();
    assertThat(errors(BUCKETS + "\n" + fields)).as(fault).isNotEmpty();
  }

  @Test
  void bucketsAreRequired() {
    assertThat(CheckedPolicies.problems("subjects: { }")).isNotEmpty();
  }
}
