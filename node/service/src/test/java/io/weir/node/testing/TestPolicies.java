package io.weir.node.testing;

import io.weir.core.policy.SecretHash;

/** Policies of the node's tests. The secret of every key is {@code secret-of-<id>}. */
public final class TestPolicies {
  private TestPolicies() {}

  public static String key(String id) {
    return id + ".secret-of-" + id;
  }

  public static String subject(String id, String more) {
    return "  %s: { tenant: acme, secretHash: \"%s\"%s }\n"
        .formatted(id, SecretHash.of("secret-of-" + id).formatted(), more);
  }

  /** Slow buckets, so that no test depends on how fast it runs: five operations an hour. */
  public static String slow() {
    return """
        operations:
          - { name: Ping, match: { method: GET, path: /ping } }
          - { name: Echo, match: { path: "/echo/**" }, cost: 1 }
          - { name: Files, match: { method: POST, path: /files }, cost: { header: X-Cost, default: 1, max: 9 } }
          - { name: Query, match: { method: GET, path: /query }, cost: { query: n } }
          - { name: Gas, match: { method: POST, path: /gas }, cost: { json: /gas/limit, default: 2 } }
          - { name: Kilogas, match: { method: POST, path: /kilogas }, cost: { json: /gas/limit, divisor: 1000, max: 30000000 } }
          - { name: Free, match: { path: "/free/**" }, unlimited: true }
        buckets:
          - name: five
            burstPeriod: 3600
            throttleGroups: [{ milliOpsPerSec: 2, operations: [Ping, Files, Query, Gas, Kilogas] }]
          - name: many
            burstPeriod: 1
            throttleGroups: [{ opsPerSec: 100000, operations: [Echo, Ping] }]
        upstream: { url: "http://127.0.0.1:UPSTREAM", timeoutMs: 2500, connectTimeoutMs: 2000, maxBodyBytes: 100000 }
        subjects:
        """
        + subject("k1", "")
        + subject("k2", "")
        + subject("k3", "")
        + subject("k4", "")
        + subject("k5", "")
        + subject("k6", "")
        + subject("gas", "")
        + subject("frozen", ", frozen: true")
        + subject("unlimited", ", unlimited: true");
  }
}
