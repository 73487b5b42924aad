package io.weir.operators.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.slot.SlotMode;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What operators read of requests while Redis is away. */
final class AwayWordsTest {
  private static Plan plan(String name, FailureMode mode) {
    return new Plan(name, Map.of(), new Unlimited(), SlotMode.RESERVE, mode);
  }

  private static String of(Plan... plans) {
    return AwayWords.sentence(Arrays.asList(plans));
  }

  @Test
  void plansThatDoTheSameAreNotNamed() {
    assertThat(of(plan("free", FailureMode.LOCAL), plan("gold", FailureMode.LOCAL)))
        .isEqualTo(
            "Until then each node gives out its share of the limits, and quotas neither deny nor count.");
    assertThat(of(plan("free", FailureMode.DENY)))
        .isEqualTo("Until then requests are refused with 503.");
    assertThat(of(plan("free", FailureMode.ALLOW)))
        .isEqualTo("Until then requests pass unchecked.");
  }

  @Test
  void plansThatDifferAreNamedUpToThree() {
    assertThat(of(
            plan("free", FailureMode.LOCAL),
            plan("strict", FailureMode.DENY),
            plan("e", FailureMode.ALLOW),
            plan("d", FailureMode.ALLOW),
            plan("c", FailureMode.ALLOW),
            plan("b", FailureMode.ALLOW),
            plan("a", FailureMode.ALLOW)))
        .isEqualTo(
            "Until then each node gives out its share of the limits, and quotas neither deny nor count (plan free); "
                + "requests are refused with 503 (plan strict); "
                + "requests pass unchecked (plans a, b, c and 2 more).");
  }
}
