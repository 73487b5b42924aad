package io.weir.keys;

import io.weir.core.policy.SecretHash;

/** The policy of tests of keys; not of a test class, whose node would start when the policy is read. */
final class KeysPolicy {
  static final String TEXT = """
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
        - { name: few, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
      plans:
        big: { buckets: [many] }
        small: { buckets: [few] }
      defaults: { plan: big }
      subjects:
        - { match: "user:*", tenant: app, plan: small }
        - { match: "acct-*", tenant: app, plan: small }
        - { id: listed, tenant: acme, secretHash: "%s" }
      """.formatted(SecretHash.of("secret-of-listed").formatted());

  private KeysPolicy() {}
}
