package io.weir.state.lane;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Charge;
import io.weir.state.wire.Lane;
import io.weir.state.wire.PendingCharge;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WaitingChargesTest {
  private static final int HEAVY = 320;
  private static final int LIGHT = 7;

  private static final List<Demand> DEMANDS =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 1000, 1000)));

  private final WaitingCharges waiting = new WaitingCharges(Lane.rates(Map.of()));

  @Test
  void aTenantOfHeavyChargesTakesNoMoreThanOneOfLightOnes() {
    add("heavy", 300);
    add("light", 300);
    List<String> first = take(110);
    assertThat(first).filteredOn("heavy"::equals).hasSize(10);
  }

  @Test
  void aTenantAloneIsHeldUpByNoDebt() {
    add("heavy", 300);
    assertThat(take(300)).hasSize(300).containsOnly("heavy");
    assertThat(waiting.count()).isZero();
    assertThat(waiting.next()).isNull();
  }

  @Test
  void whatIsTakenBackComesFirstInItsOrder() {
    add("a", 300);
    PendingCharge one = taken();
    PendingCharge two = taken();
    PendingCharge leftOver = requireNonNull(waiting.next());
    waiting.putBack(leftOver);
    waiting.takeBack(List.of(one, two));
    assertThat(waiting.count()).isEqualTo(300);
    assertThat(List.of(taken(), taken(), taken())).containsExactly(one, two, leftOver);
  }

  @Test
  void theRestOfALaterCallIsBehindThatOfAnEarlierOne() {
    add("a", 300);
    List<PendingCharge> all = List.of(taken(), taken(), taken(), taken());
    waiting.takeBack(all.subList(0, 2));
    waiting.takeBack(all.subList(2, 4));
    PendingCharge withoutRoom = requireNonNull(waiting.next());
    waiting.putBack(withoutRoom);
    assertThat(List.of(taken(), taken(), taken(), taken())).isEqualTo(all);
  }

  private void add(String tenant, int count) {
    for (int i = 0; i < count; i++) {
      waiting.add(new PendingCharge(new Charge(tenant, "k" + i, 1, DEMANDS, 1), -1, 0));
    }
  }

  private List<String> take(int count) {
    List<String> tenants = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tenants.add(taken().charge().tenant());
    }
    return tenants;
  }

  private PendingCharge taken() {
    PendingCharge next = requireNonNull(waiting.next());
    waiting.took(next, next.charge().tenant().equals("heavy") ? HEAVY : LIGHT);
    return next;
  }
}
