package io.weir.operators.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.Policy;
import io.weir.operators.replay.Rehearsal.Verdict;
import io.weir.state.document.PolicyDocuments;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** For whom a rehearsal decides. */
final class RehearsalTest {
  private static final Policy POLICY = PolicyDocuments.parse("test", """
          operations: [{ name: Ping, match: { path: /ping } }]
          buckets: [{ name: slow, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1, operations: [Ping] }] }]
          subjects:
            - { match: "k*", tenant: acme }
            - { id: k1, tenant: acme, frozen: true }
          """).policy();

  private final Rehearsal rehearsal = new Rehearsal(POLICY, Optional.empty());

  @Test
  void aCallerIsFoundWhereThePolicyListsItThenByItsRulesAndElseIsAStranger() {
    assertThat(decided("k1")).isInstanceOf(Verdict.Refused.class);
    assertThat(((Verdict.Admitted) decided("k2")).subject().tenant()).isEqualTo("acme");
    assertThat(decided("other")).isNotEqualTo(decided("k2"));
  }

  private Verdict decided(String caller) {
    return rehearsal.decide(new LogLine(
        new LogTime(1_000_000, false),
        caller,
        new RequestLine("GET", "/ping"),
        Optional.empty(),
        OptionalLong.empty()));
  }
}
