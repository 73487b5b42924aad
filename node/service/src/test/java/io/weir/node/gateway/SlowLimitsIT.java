package io.weir.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ten callers that a slow limit denies at once are told ten different times, in the answers of a node. */
final class SlowLimitsIT {
  private static final int CALLERS = 10;
  private static final String POLICY =
      """
      operations:
        - { name: A, match: { method: GET, path: /6-min } }
        - { name: B, match: { method: GET, path: /1-min } }
        - { name: C, match: { method: GET, path: /5-h } }
        - { name: D, match: { method: GET, path: /1-h } }
        - { name: E, match: { method: GET, path: /1-d } }
        - { name: F, match: { method: GET, path: /tenant } }
      buckets:
        - { name: a, burstPeriod: 10, throttleGroups: [{ rate: 6/min, operations: [A] }] }
        - { name: b, burstPeriod: 60, throttleGroups: [{ rate: 1/min, operations: [B] }] }
        - { name: c, burstPeriod: 3600, throttleGroups: [{ rate: 5/h, operations: [C] }] }
        - { name: d, burstPeriod: 3600, throttleGroups: [{ rate: 1/h, operations: [D] }] }
        - { name: e, burstPeriod: 86400, throttleGroups: [{ rate: 1/d, operations: [E] }] }
        - { name: f, scope: tenant, burstPeriod: 60, throttleGroups: [{ rate: 1/min, operations: [F] }] }
      plans:
        default: { buckets: [a, b, c, d, e, f] }
      defaults: { plan: default }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("k1", "") + TestPolicies.subject("k2", "");

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  @ParameterizedTest
  @CsvSource({"/6-min, 1, 10", "/1-min, 1, 60", "/5-h, 5, 720", "/1-h, 1, 3600", "/1-d, 1, 86400"})
  void ofAKey(String path, int burst, long seconds) {
    areDifferent(told(path, burst, List.of("k1"), "X-Nothing", "x"), seconds);
    areDifferent(told(path, burst, List.of("k2"), "Prefer", "retry-ticket"), seconds);
  }

  @Test
  void ofTwoKeysOfATenant() {
    areDifferent(told("/tenant", 1, List.of("k1", "k2"), "Prefer", "retry-ticket"), 60);
  }

  private static void areDifferent(List<Long> told, long seconds) {
    assertThat(told).doesNotHaveDuplicates();
    assertThat(told).allSatisfy(wait -> assertThat(wait).isBetween(seconds / 2, 12 * seconds));
  }

  private static List<Long> told(
      String path, int burst, List<String> keys, String header, String value) {
    for (int i = 0; i < burst; i++) {
      assertThat(ask(path, keys.get(0), header, value).statusCode()).isEqualTo(200);
    }
    List<Long> told = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      HttpResponse<String> denied = ask(path, keys.get(i % keys.size()), header, value);
      assertThat(denied.statusCode()).isEqualTo(429);
      told.add(denied.headers().firstValueAsLong("Retry-After").orElseThrow());
    }
    return told;
  }

  private static HttpResponse<String> ask(String path, String key, String header, String value) {
    return node.get(path, "X-Api-Key", TestPolicies.key(key), header, value);
  }
}
