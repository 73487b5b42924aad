package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How often a node asks Redis about cookies that anybody may have made up. */
final class LookBudgetTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final LookBudget budget = new LookBudget(now::get);

  private long taken() {
    return IntStream.range(0, 1000).filter(i -> budget.tryTake()).count();
  }

  @Test
  void thereAre200AtOnceAnd50ASecond() {
    assertThat(taken()).isEqualTo(200);
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(taken()).isEqualTo(50);
    now.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(taken()).isEqualTo(200);
  }

  @Test
  void aCookieOfASessionCostsNothing() {
    taken();
    budget.giveBack();
    assertThat(taken()).isEqualTo(1);
  }
}
