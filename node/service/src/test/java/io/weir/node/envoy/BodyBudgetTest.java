package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.envoy.BodyBudget.NetworkBudget;
import org.junit.jupiter.api.Test;

/** Messages of one network leave room for those of others. */
final class BodyBudgetTest {
  private final BodyBudget budget = new BodyBudget(100);

  @Test
  void aNetworkTakesHalfAtMostOverAllOfItsConnections() {
    NetworkBudget one = budget.open("10.0.0.1");
    NetworkBudget another = budget.open("10.0.0.1");
    NetworkBudget neighbour = budget.open("10.0.0.2");
    NetworkBudget third = budget.open("10.0.0.3");
    assertThat(one.tryTake(40)).isTrue();
    assertThat(another.tryTake(11)).isFalse();
    assertThat(another.tryTake(10)).isTrue();
    assertThat(neighbour.tryTake(30)).isTrue();
    assertThat(third.tryTake(21)).isFalse();
    assertThat(third.tryTake(20)).isTrue();
    one.giveBack(40);
    assertThat(another.tryTake(40)).isTrue();
  }

  @Test
  void bytesOfAClosedConnectionCountUntilTheyAreGivenBack() {
    NetworkBudget closed = budget.open("10.0.0.1");
    assertThat(closed.tryTake(50)).isTrue();
    closed.close();
    assertThat(budget.open("10.0.0.1").tryTake(1)).isFalse();
    closed.giveBack(50);
    assertThat(budget.open("10.0.0.1").tryTake(50)).isTrue();
  }
}
