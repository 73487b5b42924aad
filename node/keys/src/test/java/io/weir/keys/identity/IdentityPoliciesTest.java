package io.weir.keys.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.schema.Problem;
import io.weir.state.testing.CheckedPolicies;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the identity of callers comes from, in a policy. */
final class IdentityPoliciesTest {
  private static PolicyReading read(String identity) {
    return CheckedPolicies.parse("identity.yaml", """
        operations: [{ name: Ask, match: { path: /ask } }]
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
        identity: { %s }
        """.formatted(identity));
  }

  private static PolicyReading readKeys(String address) {
    return read(
        "jwt: { a: { issuer: a, audience: weir, jwks: '%s', tenant: t } }".formatted(address));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prefix_ambiguous    | header: { name: X-User, from: [10.0.0.0/8], tenant: t, prefix: user- }",
        "prefix_ambiguous    | clientCertificate: { tenant: t, prefix: 'a:' }, anonymous: { tenant: t, prefix: 'a:b:' }",
        "prefix_ambiguous    | clientCertificate: { tenant: t, prefix: 'a:' }, anonymous: { tenant: t, prefix: 'a:' }",
        "plan_unknown        | clientCertificate: { tenant: t, plan: gold }",
        "plan_without_tenant | clientCertificate: { plan: gold }",
        "network_invalid     | proxies: [10.0.0.0/33]",
        "field_missing       | header: { name: X-User }",
        "issuer_repeated     | jwt: { a: { issuer: i, audience: w, jwks: 'https://a/k' }, b: { issuer: i, audience: w, jwks: 'https://b/k' } }",
        "value_invalid       | jwt: { a: { issuer: i, audience: w, jwks: 'https://a/k', algorithms: [HS256] } }",
        "value_invalid       | jwt: { a: { issuer: i, audience: w, jwks: 'https://a/k', algorithms: [none] } }"
      })
  void mistakesAreNamed(String code, String identity) {
    InvalidPolicyException refused =
        catchThrowableOfType(InvalidPolicyException.class, () -> read(identity));
    assertThat(refused.problems()).extracting(Problem::code).contains(code);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://login.example.com/{tenant}/keys",
        "https://login.example.com/%zz",
        "https:///keys",
        "https://:443/keys",
        "https://issuer_of_ours/keys",
        "https://login.example.com:99999/keys",
        "ftp://login.example.com/keys",
        "login.example.com/keys",
        "file:keys.json",
        "file://host/keys.json",
        "file:/keys.json?version=1"
      })
  void anAddressThatCanNeverBeReadIsAMistake(String address) {
    InvalidPolicyException refused =
        catchThrowableOfType(InvalidPolicyException.class, () -> readKeys(address));
    assertThat(refused.problems()).extracting(Problem::code).containsExactly("value_invalid");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://login.example.com/keys",
        "http://127.0.0.1:8080/keys?version=1",
        "https://[2001:db8::1]:8443/keys",
        "file:/etc/weir/keys.json",
        "file:///etc/weir/keys.json"
      })
  void anAddressOfKeysIsOfTheWebOrAFile(String address) {
    assertThat(IdentityRule.of(readKeys(address).policy()).jwt().values())
        .extracting(issuer -> issuer.valid().keys().toString())
        .containsExactly(address);
  }
}
