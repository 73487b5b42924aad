package io.weir.state.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LostPolicyTest {
  private final AtomicLong clock = new AtomicLong();
  private final LostPolicy lost = new LostPolicy(clock::get);

  @Test
  void aPolicyThatAnyNodePutsBackInTimeIsNotLost() {
    lost.seen(5);
    assertThat(lost.newerThan(1)).isEmpty();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(3));
    assertThat(lost.newerThan(1)).isEmpty();
    assertThat(lost.newerThan(5)).isEmpty();
    // The time counts from the start again.
    clock.addAndGet(TimeUnit.SECONDS.toNanos(9));
    assertThat(lost.newerThan(4)).isEmpty();
  }

  @Test
  void aPolicyThatIsNotRestoredIsReplacedByAHigherRevision() {
    lost.seen(5);
    lost.seen(3);
    assertThat(lost.newerThan(1)).isEmpty();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(3) + 1);
    assertThat(lost.newerThan(1)).hasValue(6);
    assertThat(lost.newerThan(6)).isEmpty();
  }
}
