package io.weir.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.slot.SlotMode;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CarriedPlansTest {
  private final CarriedPlans<Integer> plans = new CarriedPlans<>(limit ->
      new Plan("plan" + limit, Map.of(), new Unlimited(), SlotMode.RESERVE, FailureMode.LOCAL));

  @Test
  void equalLimitsHaveOnePlan() {
    Plan first = plans.of(1000);
    assertThat(plans.of(2000)).isNotSameAs(first);
    assertThat(plans.of(1000)).isSameAs(first);
    assertThat(first.name()).isEqualTo("plan1000");
  }

  @Test
  void itBeginsAnewBeyondAThousand() {
    Plan first = plans.of(0);
    for (int limit = 1; limit < 1000; limit++) {
      plans.of(limit);
    }
    assertThat(plans.of(0)).isSameAs(first);
    Plan last = plans.of(1000);
    assertThat(plans.of(1000)).isSameAs(last);
    assertThat(plans.of(0)).isNotSameAs(first);
  }
}
