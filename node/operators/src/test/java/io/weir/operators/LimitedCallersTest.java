package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.Policy;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.cases.CaseName;
import io.weir.operators.cases.CaseQuery;
import io.weir.operators.cases.CaseState;
import io.weir.operators.cases.CaseType;
import io.weir.operators.cases.Cases;
import io.weir.operators.cases.LoopCases;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.LoopCounts;
import io.weir.operators.top.SubjectName;
import io.weir.state.document.PolicyDocuments;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests that are counted together are counted as if each of them had been alone. */
final class LimitedCallersTest {
  private static final int SUBJECTS = 300;
  private static final List<String> LIMITS = List.of("requests", "team", "before_slot");
  private static final Policy POLICY = PolicyDocuments.parse("policy", """
      buckets:
        - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
        - { name: team, scope: tenant, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
      subjects:
      %s""".formatted(
              IntStream.range(0, SUBJECTS)
                  .mapToObj(i -> "  k%d: { tenant: t%d }".formatted(i, i % 5))
                  .collect(Collectors.joining("\n"))))
      .policy();

  private final LoopCounts counts = new LoopCounts();
  private final LoopCases cases = new LoopCases();
  private final LimitedCallers callers = new LimitedCallers(counts, cases);
  private final LoopCounts countsOfEach = new LoopCounts();
  private final LoopCases casesOfEach = new LoopCases();
  private long now = Duration.ofMinutes(7).toNanos() + 1_234_567;

  private static Question question(int subject) {
    return new Question(POLICY.subject("k" + subject).orElseThrow(), "Ask", 1);
  }

  private void limited(CaseType type, Question question, String limit) {
    callers.add(type, question, limit, now);
    SubjectName who =
        new SubjectName(question.subject().tenant(), question.subject().id());
    LimitName by = new LimitName(question.subject().plan().name(), "Ask", limit);
    if (type == CaseType.NEAR) {
      countsOfEach.near(who, by, 1, now);
    } else {
      countsOfEach.denied(who, by, 1, now);
    }
    casesOfEach.count(type, CaseName.of(question, limit), by, now);
  }

  // Cases that are as frequent and as late as others are in no particular order.
  private Map<CaseType, Set<Object>> found(LoopCases of, CaseState state, String tenant) {
    CaseQuery asked = new CaseQuery(state, Optional.of(tenant), CaseQuery.MOST);
    Cases cases = of.find(asked, now, Instant.ofEpochSecond(1_700_000_000));
    Map<CaseType, Set<Object>> found = new EnumMap<>(CaseType.class);
    for (CaseType type : cases.ofKinds().keySet()) {
      found.put(type, Set.copyOf(cases.ofKinds().getOrDefault(type, List.of())));
    }
    return found;
  }

  private void assertSame() {
    callers.count();
    assertThat(counts.counts(now, SUBJECTS)).isEqualTo(countsOfEach.counts(now, SUBJECTS));
    for (int tenant = 0; tenant < 5; tenant++) {
      for (CaseState state : List.of(CaseState.NOW, CaseState.NEARLY, CaseState.CLOSED)) {
        assertThat(found(cases, state, "t" + tenant))
            .isEqualTo(found(casesOfEach, state, "t" + tenant));
      }
    }
  }

  @Test
  void countsAndCasesAreThoseOfEachRequest() {
    Random random = new Random(5);
    for (int i = 0; i < 40_000; i++) {
      now += random.nextInt(1000) == 0
          ? Duration.ofSeconds(random.nextInt(100)).toNanos()
          : random.nextInt(5_000_000);
      CaseType type = random.nextInt(4) == 0 ? CaseType.NEAR : CaseType.DENIED;
      // A few of them often, so that they are at a limit within the same second.
      int subject = random.nextInt(random.nextBoolean() ? 3 : 80);
      limited(type, question(subject), LIMITS.get(random.nextInt(LIMITS.size())));
      if (i % 2000 == 0) {
        assertSame();
      }
    }
    assertSame();
  }

  @Test
  void aCallerOfAnotherPlanIsAnotherCaller() {
    Policy other = PolicyDocuments.parse("policy", """
        buckets:
          - { name: requests, scope: tenant, burstPeriod: 1, throttleGroups: [{ opsPerSec: 9, operations: [Ask] }] }
        subjects: { k1: { tenant: t1 } }
        """).policy();
    limited(CaseType.DENIED, question(1), "requests");
    limited(CaseType.DENIED, new Question(other.subject("k1").orElseThrow(), "Ask", 1), "requests");

    assertSame();
    assertThat(found(cases, CaseState.NOW, "t1").get(CaseType.DENIED)).hasSize(2);
  }
}
