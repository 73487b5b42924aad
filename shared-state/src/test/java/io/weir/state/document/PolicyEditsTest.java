package io.weir.state.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.state.document.PolicyEdits.PathException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PolicyEditsTest {
  private static final String YAML = """
      # Limits 🏔 of all
      buckets:
        - name: first   # the first
          burstPeriod: 10
        - { name: second, throttleGroups: [ { opsPerSec: 100, operations: [Ask] } ] }
      plans:
        free: { buckets: [first], unlimited: false }
      subjects:
        - { id: k1, note: "a: \\"b\\"" }
      numbers:
        - { name: "1", of: 5 }
        - { name: "0", of: 6 }
      texts:
        long: |
          a
          b
        none:
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/buckets/first/burstPeriod|20|burstPeriod: 10|burstPeriod: 20",
        "/buckets/1/throttleGroups/0/opsPerSec|7|opsPerSec: 100|opsPerSec: 7",
        "/buckets/second/throttleGroups/0/operations/0|\"Tell\"|[Ask]|[\"Tell\"]",
        "/plans/free/unlimited|true|unlimited: false|unlimited: true",
        "/numbers/0/of|7|of: 6|of: 7",
        "/subjects/k1/note|\"c\"|\"a: \\\"b\\\"\"|\"c\""
      })
  void oneValueIsReplacedAndTheRestOfTheTextStays(
      String path, String json, String before, String after) throws PathException {
    String edited = PolicyEdits.set(YAML, path, json);

    assertThat(YAML).contains(before);
    assertThat(edited).isEqualTo(YAML.replace(before, after));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/buckets/first/scope|\"tenant\"|burstPeriod: 10  # ten|burstPeriod: 10  # ten~    scope: \"tenant\"",
        "/buckets/second/leased|true|operations: [Ask] } ] }|operations: [Ask] } ], leased: true }",
        "/plans/free/frozen|true|unlimited: false,}|unlimited: false, frozen: true,}",
        "/plans/empty/frozen|true|empty:|empty: { frozen: true }",
        "/plans/braces/frozen|true|braces: {}|braces: { frozen: true }",
        "/upstream/timeoutMs|2000|url: http://a # where|url: http://a # where~  timeoutMs: 2000",
        "/defaults/plan|\"free\"|    last line|    last line~defaults: { plan: \"free\" }",
        "/unlistedOperations|\"allow\"|    last line|    last line~unlistedOperations: \"allow\""
      })
  void aFieldThatTheTextLeavesToItsDefaultIsAdded(
      String path, String json, String before, String after) throws PathException {
    String text = """
        buckets:
          - name: first
            burstPeriod: 10  # ten
          # the second
          - { name: second, throttleGroups: [ { opsPerSec: 100, operations: [Ask] } ] }
        plans:
          free: { buckets: [first], unlimited: false,}
          empty:
          braces: {}
        upstream:
          url: http://a # where
        description: |
            first line
            last line
        """;
    assertThat(text).contains(before);
    assertThat(PolicyEdits.set(text, path, json))
        .isEqualTo(text.replace(before, after.replace('~', '\n')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/plans/free/buckets|[\"b\"]|[a, c]|[\"b\"]",
        "/plans/block/buckets|[\"b\"]|- a  # one~      - c|'  [\"b\"]'",
        "/plans/left/buckets|[\"b\"]|- a~    - d|'  [\"b\"]'",
        "/plans/left|{\"frozen\": true}|buckets:~    - a~    - d|'  {\"frozen\": true}'"
      })
  void aListOrAMappingIsReplacedAsAWhole(String path, String json, String before, String after)
      throws PathException {
    String text = """
        plans:
          free: { buckets: [a, c] }
          block:
            buckets:
              - a  # one
              - c  # two
          left:
            buckets:
            - a
            - d
        # the end
        """;
    String old = before.replace('~', '\n');
    assertThat(text).contains(old);
    String edited = PolicyEdits.set(text, path, json);
    assertThat(edited).isEqualTo(text.replace(old, after));
    assertThat(PolicyEdits.set(edited, "/plans/free/frozen", "true")).contains("frozen: true");
  }

  @Test
  void aFieldIsAddedToTheEndOfATextWithoutANewline() throws PathException {
    assertThat(PolicyEdits.set("description: a", "/extendBursts", "true"))
        .isEqualTo("description: a\nextendBursts: true");
  }

  @Test
  void jsonStaysJson() throws PathException {
    assertThat(PolicyEdits.set("{\"plans\": {}}", "/defaults/plan", "\"a\""))
        .isEqualTo("{\"plans\": {}, \"defaults\": { \"plan\": \"a\" }}");
  }

  @Test
  void jsonIsEditedToo() throws PathException {
    assertThat(PolicyEdits.set("{\"a\": {\"b\": [1, 2]}}", "/a/b/1", "3"))
        .isEqualTo("{\"a\": {\"b\": [1, 3]}}");
  }

  @Test
  void jsonThatIsNoYamlIsToldSo() {
    assertThatThrownBy(() -> PolicyEdits.set("{\"a\": \"b\\/c\"}", "/a", "2"))
        .isInstanceOf(PathException.class)
        .hasMessageContaining("no YAML");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/buckets/third/burstPeriod|/buckets/third: there is no such value (expected: first, second)",
        "/buckets/first/burst|/buckets/first/burst: there is no such value (expected: name, burstPeriod, scope,",
        "/plans/fre/unlimited|/plans/fre: there is no such value (expected: free)",
        "/defaults/queue/length|/defaults/queue: there is no such value (expected: scope, plan)",
        "/colour|/colour: there is no such value (expected: buckets, plans, subjects,",
        "/buckets/first/burstPeriod/x|/buckets/first/burstPeriod: a single value",
        "buckets|path: 'buckets' (expected: /field/field)",
        "/|/: there is no such value",
        "/texts/long|/texts/long: a text of several lines"
      })
  void aWrongPathIsToldWithWhatIsThere(String path, String message) {
    assertThatThrownBy(() -> PolicyEdits.set(YAML, path, "1"))
        .isInstanceOf(PathException.class)
        .hasMessageContaining(message);
  }
}
