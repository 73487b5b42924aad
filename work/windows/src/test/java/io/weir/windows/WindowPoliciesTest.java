package io.weir.windows;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.schema.Problem;
import io.weir.state.testing.CheckedPolicies;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows in a policy, and how they fit to upstreams. */
final class WindowPoliciesTest {
  private static final String PROVIDER = "providers: [{ name: a, url: 'http://127.0.0.1:1' }]";
  private static final String FOUR_KEYS =
      "providers: [{ name: a, url: 'http://127.0.0.1:1', keyInterval: 1s, keys: [{ name: k1, variable: A }, "
          + "{ name: k2, variable: A }] }]";

  private static PolicyReading read(String upstream, String windows) {
    return CheckedPolicies.parse("upstreams.yaml", """
        operations:
          - { name: Ask, match: { path: /ask }, upstream: rpc, attempts: 1 }
          - { name: Other, match: { path: /other }, upstream: rpc }
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask, Other] }] }
        upstreams:
          rpc: { %s }
        windows: { %s }
        """.formatted(upstream, windows));
  }

  private static List<String> errors(String upstream, String windows) {
    return requireNonNull(
            catchThrowableOfType(InvalidPolicyException.class, () -> read(upstream, windows)))
        .problems()
        .stream()
        .map(Problem::code)
        .toList();
  }

  @Test
  void windowsAreReadByName() {
    assertThat(Windows.of(read(
                PROVIDER,
                "blocks: { }, days: { width: 7, attempts: 2, lease: 5s, backoff: 0ms, results: true }")
            .policy()))
        .containsOnlyKeys("blocks", "days")
        .containsEntry("blocks", new WindowRule("blocks", 40, 4, 30_000_000, 1_000_000, false))
        .containsEntry("days", new WindowRule("days", 7, 2, 5_000_000, 0, true));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "w: { width: 0 } | value_invalid",
        "w: { width: 1001 } | value_invalid",
        "w: { lease: 1ms } | value_invalid",
        "w: { wide: 1 } | field_unknown",
        "w: { upstream: none } | upstream_unknown",
        "'a b': { } | name_invalid"
      })
  void mistakesOfWindowsAreReported(String windows, String code) {
    assertThat(errors(PROVIDER, windows)).containsExactly(code);
  }

  @Test
  void thereAreAtMostFiftyWindows() {
    StringBuilder many = new StringBuilder("w0: { }");
    for (int i = 1; i <= 50; i++) {
      many.append(", w").append(i).append(": { }");
    }
    assertThat(errors(PROVIDER, many.toString())).containsExactly("too_many_windows");
  }

  // Rules of the scheduler that these settings come from: requests under way below twice the keys,
  // two to three times as many ranges, one to two times as many in the queue.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3 | 12 | 8 |",
        "4 | 12 | 12 | inflight_above_keys",
        "3 | 20 | 8 | queue_above_inflight,queue_beside_window",
        "3 | 12 | 5 | window_beside_inflight,queue_beside_window",
        "3 | 12 | 10 | window_beside_inflight",
        "3 | 8 | 9 | queue_beside_window"
      })
  void boundsThatDoNotFitTogetherAreWarnedOf(int inflight, int queue, int width, String codes) {
    PolicyReading reading = read(
        "%s, maxInflight: %d, maxQueue: %d".formatted(FOUR_KEYS, inflight, queue),
        "w: { upstream: rpc, width: %d }".formatted(width));
    List<String> told = reading.warnings().stream()
        .map(Problem::code)
        .filter(code -> !code.equals("plan_missing"))
        .toList();
    assertThat(told).containsExactlyInAnyOrder(codes == null ? new String[0] : codes.split(","));
  }
}
