package io.weir.providers.rule;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.policy.GroupRule;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.core.policy.RetryRule.Backoff;
import io.weir.core.policy.schema.Problem;
import io.weir.state.testing.CheckedPolicies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upstreams of providers in a policy. */
final class UpstreamPoliciesTest {
  private static final String PROVIDER = "providers: [{ name: a, url: 'http://127.0.0.1:1' }]";
  private static final String READ =
      "{ name: Read, match: { method: GET, path: /rpc }, upstream: rpc }";

  private static PolicyReading read(String upstream) {
    return CheckedPolicies.parse("upstreams.yaml", """
        operations:
          - { name: Ask, match: { path: /ask }, upstream: rpc, attempts: 1 }
          - { name: Other, match: { path: /other }, upstream: rpc }
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask, Other] }] }
        upstreams:
          rpc: { %s }
        """.formatted(upstream));
  }

  private static Providers upstream(String text) {
    return requireNonNull(Upstreams.of(read(text).policy()).get("rpc"));
  }

  private static List<String> errors(String upstream) {
    return requireNonNull(catchThrowableOfType(InvalidPolicyException.class, () -> read(upstream)))
        .problems()
        .stream()
        .map(Problem::code)
        .toList();
  }

  @Test
  void givenValuesCountAndTheRestIsAsUsual() {
    Providers plain = upstream(PROVIDER);
    assertThat(plain.bounds().maxInflight()).isEqualTo(100);
    assertThat(plain.bounds().adaptive()).isEmpty();
    assertThat(plain.bounds().most()).isEqualTo(100);
    assertThat(plain.sending().jsonRpc().isRead()).isFalse();
    assertThat(plain.retry()).isEqualTo(RetryRule.DEFAULT);
    Providers said = upstream(PROVIDER
        + ", maxInflight: 30, adaptive: { target: 50ms, min: 2, max: 20, initial: 4 }, jsonRpc: true, "
        + "retry: { preset: storj, jitter: 0 }");
    assertThat(said.bounds().adaptive()).contains(new AdaptiveRule(50_000, 2, 20, 4));
    assertThat(said.bounds().most()).isEqualTo(20);
    assertThat(said.sending().jsonRpc().isRead()).isTrue();
    assertThat(said.retry())
        .isEqualTo(
            new RetryRule(7, new Backoff(100, 2000, 3000, 0), OptionalInt.of(20), 65_536, 0));
  }

  @Test
  void aProviderThatIsDisabledGetsNothing() {
    Providers read = upstream("providers: [{ name: a, url: 'http://127.0.0.1:1', enabled: false }, "
        + "{ name: b, url: 'http://127.0.0.1:1', enabled: true }]");
    assertThat(read.all()).extracting(Provider::name).containsExactly("b");
    assertThat(errors("providers: [{ name: a, url: 'http://127.0.0.1:1', enabled: maybe }]"))
        .startsWith("value_invalid");
    assertThat(errors("providers: [{ name: a, url: 'http://127.0.0.1:1', enabled: false }]"))
        .startsWith("providers_missing");
  }

  @Test
  void theBudgetOfRetriesMayBeOff() {
    for (String off : List.of("off", "'off'", "false")) {
      assertThat(upstream(PROVIDER + ", retry: { budget: " + off + " }").retry().budgetPercent())
          .isEmpty();
    }
    RetryRule smg = upstream(PROVIDER + ", retry: { preset: smg }").retry();
    assertThat(smg)
        .isEqualTo(
            new RetryRule(6, new Backoff(50, 1500, 30_000, 20), OptionalInt.empty(), 65_536, 0));
    RetryRule batch = upstream(
            PROVIDER + ", retry: { preset: smg, attempts: 11, max: 60s, attemptTimeout: 5s }")
        .retry();
    assertThat(batch)
        .isEqualTo(new RetryRule(
            11, new Backoff(50, 1500, 60_000, 20), OptionalInt.empty(), 65_536, 5000));
  }

  @Test
  void fractionsAndFactorsMayBeDecimalNumbers() {
    Providers read = upstream(PROVIDER
        + ", breaker: { failures: 0.3 }, retry: { factor: 2.5, jitter: 0.1, budget: 0.05 }");
    assertThat(read.resilience().breaker().failurePercent()).isEqualTo(30);
    assertThat(read.retry().backoff().factor()).isEqualTo(2500);
    assertThat(read.retry().backoff().jitterPercent()).isEqualTo(10);
    assertThat(read.retry().budgetPercent()).hasValue(5);
  }

  @Test
  void repeatingIsSafeByTheOperatorsWordOnly() {
    assertThat(upstream(PROVIDER).sending().repeat()).isEqualTo(RepeatRule.NONE);
    assertThat(upstream(PROVIDER + ", safeToRepeat: true").sending().repeat().isSafe())
        .isTrue();
    assertThat(upstream(PROVIDER + ", safeJsonRpcMethods: [eth_call]").sending().repeat())
        .isEqualTo(new RepeatRule(false, Set.of("eth_call")));
  }

  @Test
  void healthIsAskedForAsThePolicySays() {
    assertThat(upstream(PROVIDER).resilience().health()).isEmpty();
    HealthRule usual = upstream(PROVIDER + ", health: { path: '/health?full=1' }")
        .resilience()
        .health()
        .orElseThrow();
    assertThat(usual).isEqualTo(new HealthRule("/health?full=1", 5000, 2000, 2, 3, Set.of()));
    assertThat(List.of(199, 200, 299, 300).stream().filter(usual::isWell))
        .containsExactly(200, 299);
    HealthRule said = upstream(
            PROVIDER
                + ", health: { path: /, interval: 1s, timeout: 100ms, healthy: 1, unhealthy: 2, statuses: [200, 401] }")
        .resilience()
        .health()
        .orElseThrow();
    assertThat(said).isEqualTo(new HealthRule("/", 1000, 100, 1, 2, Set.of(200, 401)));
    assertThat(List.of(200, 204, 401).stream().filter(said::isWell)).containsExactly(200, 401);
  }

  @Test
  void errorsOfJsonRpcMayBeNamed() {
    assertThat(upstream(PROVIDER).sending().jsonRpc().limits()).isEmpty();
    Sending named = upstream(PROVIDER + ", jsonRpcCodes: [-32000, 429]").sending();
    assertThat(named.jsonRpc().isRead()).isTrue();
    assertThat(named.jsonRpc().limits()).containsExactlyInAnyOrder(-32_000, 429);
  }

  @Test
  void anOperationMayBeSentOnce() {
    PolicyReading reading = read(PROVIDER);
    assertThat(
            reading.policy().rule("Ask").map(rule -> OperationUpstream.of(rule).attempts()))
        .contains(OptionalLong.of(1));
    assertThat(reading
            .policy()
            .rule("Other")
            .map(rule -> OperationUpstream.of(rule).attempts()))
        .contains(OptionalLong.empty());
  }

  private static PolicyReading grouped(String group) {
    return CheckedPolicies.parse("groups.yaml", """
        operations:
          - { name: Ask, match: { path: /ask }, upstream: llm, group: %s }
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
        upstreams:
          llm:
            providers: [{ name: a, url: 'http://127.0.0.1:1', groups: [others, big, small] }]
        """.formatted(group));
  }

  @Test
  void theGroupMayBeInTheRequest() {
    assertThat(grouped("big")
            .policy()
            .rule("Ask")
            .map(rule -> OperationUpstream.of(rule).group()))
        .contains(new GroupRule("big", Optional.empty()));
    GroupRule read = grouped("{ json: /model, default: small, groups: [{ name: big, values: "
            + "[gpt-4o, 'meta/llama'] }, { name: small, values: [7] }] }")
        .policy()
        .rule("Ask")
        .map(rule -> OperationUpstream.of(rule).group())
        .orElseThrow();
    assertThat(read.fallback()).isEqualTo("small");
    assertThat(read.needsBody()).isTrue();
    assertThat(read.named().orElseThrow().groups())
        .isEqualTo(Map.of("gpt-4o", "big", "meta/llama", "big", "7", "small"));
    assertThat(grouped("{ header: X-Model, groups: [{ name: big, values: [a] }] }")
            .policy()
            .rule("Ask")
            .map(rule -> OperationUpstream.of(rule).group())
            .map(GroupRule::all))
        .contains(Set.of("others", "big"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{ groups: [{ name: big, values: [a] }] } | group_ambiguous",
        "{ json: /m, header: X-M, groups: [{ name: big, values: [a] }] } | group_ambiguous",
        "{ json: m, groups: [{ name: big, values: [a] }] } | value_invalid,group_ambiguous",
        "{ json: /m } | group_count",
        "{ json: /m, groups: [{ name: big }] } | field_missing",
        "{ json: /m, groups: [{ values: [a] }] } | field_missing",
        "{ json: /m, groups: [{ name: big, values: [a], more: 1 }] } | field_unknown",
        "{ json: /m, groups: [{ name: big, values: [a] }, { name: small, values: [a] }] } | group_repeated",
        "{ json: /m, groups: [{ name: vast, values: [a] }] } | upstream_group",
        "{ json: /m, default: vast, groups: [{ name: big, values: [a] }] } | upstream_group",
        "{ json: /m, default: 'a b', groups: [{ name: big, values: [a] }] } | value_invalid"
      })
  void mistakesOfGroupsAreReported(String group, String codes) {
    assertThat(
            requireNonNull(catchThrowableOfType(InvalidPolicyException.class, () -> grouped(group)))
                .problems())
        .extracting(Problem::code)
        .containsExactly(codes.split(",", -1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "adaptive: { min: 20, max: 10 } | adaptive_bounds",
        "adaptive: { min: 0 } | value_invalid",
        "adaptive: { goal: 1s } | field_unknown",
        "retry: { preset: mine } | value_invalid",
        "retry: { initial: 2s, max: 1s } | retry_bounds",
        "retry: { attempts: 21 } | value_invalid",
        "retry: { factor: 0.5 } | value_invalid",
        "retry: { jitter: 1.0 } | value_invalid",
        "retry: { jitter: 20.5 } | value_invalid",
        "retry: { budget: 0.125 } | value_invalid",
        "retry: { budget: 'no' } | value_invalid",
        "retry: { budget: true } | value_invalid",
        "timeoutMs: 500, retry: { attemptTimeout: 500ms } | retry_bounds",
        "safeToRepeat: some | value_invalid",
        "safeJsonRpcMethods: eth_call | value_invalid",
        "safeJsonRpcMethods: ['a b'] | value_invalid",
        "health: { } | field_missing",
        "health: { path: health } | value_invalid",
        "health: { path: '/h#x' } | value_invalid",
        "health: { path: /h, interval: 100ms } | value_invalid",
        "health: { path: /h, unhealthy: 0 } | value_invalid",
        "health: { path: /h, statuses: [600] } | value_invalid",
        "health: { path: /h, method: HEAD } | field_unknown",
        "jsonRpc: maybe | value_invalid",
        "jsonRpcCodes: [-32000, x] | value_invalid",
        "jsonRpcCodes: [1.5] | value_invalid",
        "jsonRpcFailures: [x] | value_invalid",
        "jsonRpcFailures: [-32603, -32000], jsonRpcCodes: [-32000] | code_repeated",
        "jsonRpcCodes: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21] | too_many_codes"
      })
  void mistakesOfUpstreamsAreReported(String more, String code) {
    assertThat(errors(PROVIDER + ", " + more)).containsExactly(code);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weight: 0 | enabled: false",
        "maxInflight: 0 | enabled: false",
      })
  void aProviderThatIsGivenNothingIsPointedToEnabled(String field, String word) {
    assertThat(requireNonNull(catchThrowableOfType(
                InvalidPolicyException.class,
                () -> read(
                    "providers: [{ name: a, url: 'http://127.0.0.1:1', %s }]".formatted(field))))
            .problems())
        .extracting(Problem::message)
        .first()
        .asString()
        .contains(word);
  }

  private static List<Problem> unsafe(String operations, String upstream) {
    return CheckedPolicies.parse("retries.yaml", """
        operations: [%s]
        buckets:
          - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Call, Read] }] }
        upstreams:
          rpc: { %s, %s }
        """.formatted(operations, PROVIDER, upstream))
        .warnings()
        .stream()
        .filter(problem -> problem.code().equals("retry_not_safe"))
        .toList();
  }

  private static String call(String more) {
    return "{ name: Call, match: { method: POST, path: /rpc }, upstream: rpc %s }".formatted(more);
  }

  @Test
  void retriesOfRequestsThatNothingSaysAreSafeToRepeatAreAWarning() {
    assertThat(unsafe(call(""), "retry: { preset: smg }"))
        .singleElement()
        .matches(problem -> problem.location().path().equals("upstreams.rpc.retry"))
        .extracting(Problem::message)
        .asString()
        .contains("Call", "POST", "safeToRepeat");
    assertThat(unsafe(call(", attempts: 2"), "retry: { preset: smg }"))
        .singleElement()
        .matches(problem -> problem.location().path().equals("operations"))
        .extracting(Problem::message)
        .asString()
        .contains("Call", "safeToRepeat");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "safeToRepeat: true, retry: { preset: smg } |",
        "safeJsonRpcMethods: [eth_call], retry: { preset: smg } |",
        "honoursIdempotencyKeys: true, retry: { preset: smg } |",
        "retry: { attempts: 1 } |",
        "maxQueue: 100 |",
        "retry: { preset: smg } | , safeToRepeat: true",
        "retry: { preset: smg } | , safeToRepeat: false",
        "retry: { preset: smg } | , attempts: 1",
        "safeToRepeat: true | , attempts: 2",
      })
  void retriesThatApplyOrWereDecidedUponAreNoWarning(String upstream, String operation) {
    assertThat(unsafe(call(operation == null ? "" : operation), upstream)).isEmpty();
  }

  @Test
  void retriesThatSomeOperationsUseAreNoWarning() {
    assertThat(unsafe(call("") + ", " + READ, "retry: { preset: smg }")).isEmpty();
    assertThat(unsafe(READ, "retry: { preset: smg }")).isEmpty();
    String any = "{ name: Call, match: { path: /rpc }, upstream: rpc, attempts: 3 }";
    assertThat(unsafe(any, "retry: { preset: smg }")).isEmpty();
  }
}
