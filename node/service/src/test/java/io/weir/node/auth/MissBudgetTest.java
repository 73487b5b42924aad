package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The number of look-ups for callers that may be strangers. */
final class MissBudgetTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final MissBudget budget = new MissBudget(now::get);

  private long taken(String address) {
    return IntStream.range(0, 1000).filter(i -> budget.tryTake(address)).count();
  }

  @Test
  void anAddressHas100AtOnceAnd20PerSecond() {
    assertThat(taken("192.0.2.1")).isEqualTo(100);
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(taken("192.0.2.1")).isEqualTo(20);
    now.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(taken("192.0.2.1")).isEqualTo(100);
  }

  @Test
  void aFloodFromOneNetworkLeavesOthersTheirs() {
    assertThat(taken("192.0.2.1")).isEqualTo(100);
    assertThat(budget.tryTake("192.0.2.2")).isTrue();
    assertThat(taken("2001:db8::1")).isEqualTo(100);
    assertThat(budget.tryTake("2001:db8::2")).isFalse();
    assertThat(budget.tryTake("2001:db8:0:1::1")).isTrue();
  }

  @Test
  void allNetworksTogetherHaveABound() {
    assertThat(IntStream.range(0, 100).mapToLong(i -> taken("192.0.2." + i)).sum())
        .isEqualTo(600);
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    // The refused ones have kept their own part.
    assertThat(taken("192.0.2.99")).isEqualTo(100);
    assertThat(taken("192.0.2.0")).isEqualTo(20);
  }

  @Test
  void aLookUpThatFindsSomethingCostsNothing() {
    taken("192.0.2.1");
    budget.giveBack("192.0.2.1");
    assertThat(taken("192.0.2.1")).isEqualTo(1);
  }
}
