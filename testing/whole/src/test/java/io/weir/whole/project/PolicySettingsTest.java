package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.document.PolicyDocuments;
import io.weir.state.document.PolicyEdits;
import io.weir.state.document.PolicyEdits.PathException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of extensions that a policy leaves to their defaults can be set one by one. */
final class PolicySettingsTest {
  private static final String POLICY = """
      operations:
        - { name: Call, match: { method: POST, path: /rpc }, upstream: rpc }
      buckets:
        - { name: calls, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Call] }] }
      upstreams:
        rpc:
          providers:
            - { name: ours, url: "https://rpc.example.com" }
            - name: public
              url: "https://public.example.org"  # of all
      subjects:
        k1: { tenant: acme }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/upstreams/rpc/providers/public/enabled|false|      enabled: false",
        "/upstreams/rpc/providers/ours/weight|3|weight: 3 }",
        "/upstreams/rpc/queueTimeout|\"5s\"|    queueTimeout: \"5s\"",
        "/upstreams/rpc/retry/attempts|6|    retry: { attempts: 6 }",
        "/upstreams/rpc/retry|{\"preset\": \"smg\", \"max\": \"60s\"}|    retry: {\"preset\"",
        "/operations/Call/attempts|1|attempts: 1 }",
        "/subjects/k1/unlimited|true|unlimited: true }"
      })
  void aDefaultIsSetAndThePolicyIsSound(String path, String json, String expected)
      throws PathException {
    String edited = PolicyEdits.set(POLICY, path, json);
    assertThat(edited).contains(expected).contains("# of all");
    assertThat(PolicyDocuments.parse("edited", edited).policy().routing().rules())
        .hasSize(1);
  }
}
