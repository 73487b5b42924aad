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
    String edited = PolicyEdits.replace(YAML, path, json);

    assertThat(YAML).contains(before);
    assertThat(edited).isEqualTo(YAML.replace(before, after));
  }

  @Test
  void jsonIsEditedToo() throws PathException {
    assertThat(PolicyEdits.replace("{\"a\": {\"b\": [1, 2]}}", "/a/b/1", "3"))
        .isEqualTo("{\"a\": {\"b\": [1, 3]}}");
  }

  @Test
  void jsonThatIsNoYamlIsToldSo() {
    assertThatThrownBy(() -> PolicyEdits.replace("{\"a\": \"b\\/c\"}", "/a", "2"))
        .isInstanceOf(PathException.class)
        .hasMessageContaining("no YAML");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/buckets/third/burstPeriod|/buckets/third: there is no such value (expected: first, second)",
        "/buckets/first/burst|/buckets/first/burst: there is no such value (expected: name, burstPeriod)",
        "/buckets|/buckets: a list (expected: a single value)",
        "/plans/free|/plans/free: a mapping (expected: a single value)",
        "/buckets/first/burstPeriod/x|/buckets/first/burstPeriod: a single value",
        "buckets|path: 'buckets' (expected: /field/field)",
        "/|/: there is no such value",
        "/texts/long|/texts/long: a text of several lines, or nothing",
        "/texts/none|/texts/none: a text of several lines, or nothing"
      })
  void aWrongPathIsToldWithWhatIsThere(String path, String message) {
    assertThatThrownBy(() -> PolicyEdits.replace(YAML, path, "1"))
        .isInstanceOf(PathException.class)
        .hasMessageContaining(message);
  }
}
