package io.weir.state.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.Policy;
import io.weir.state.document.PolicyDocuments;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class NextPolicyTest {
  private final AtomicLong clock = new AtomicLong();
  private final NextPolicy next = new NextPolicy(clock::get);

  @Test
  void aPolicyIsAwaitedUntilItIsInForceOrForSixSeconds() {
    assertThat(next.isAwaited()).isFalse();
    String digest = await(100);
    assertThat(next.isAwaited()).isTrue();
    assertThat(next.of(digest)).isPresent();
    next.forget(digest);
    assertThat(next.isAwaited()).isFalse();
    await(50);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(6));
    assertThat(next.isAwaited()).isFalse();
  }

  @Test
  void ofTwoAtOnceTheOneThatIsInForceFirstDoesNotEndTheWaitForTheOther() {
    String first = await(100);
    String second = await(50);
    next.forget(second);
    assertThat(next.isAwaited()).isTrue();
    assertThat(next.of(first)).isPresent();
    next.forget(first);
    assertThat(next.isAwaited()).isFalse();
  }

  @Test
  void ofManyAtOnceAFewAreKeptAndAllAreAwaited() {
    List<String> digests = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      digests.add(await(i));
    }
    assertThat(digests).filteredOn(digest -> next.of(digest).isPresent()).hasSize(4);
    digests.forEach(next::forget);
    assertThat(next.isAwaited()).isTrue();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(6));
    assertThat(next.isAwaited()).isFalse();
    assertThat(next.of(await(99))).isPresent();
  }

  private String await(int rate) {
    String text = """
        buckets:
          - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: %d, operations: [Ping] }] }
        """.formatted(rate);
    Policy policy = PolicyDocuments.parse("test", text).policy();
    PolicyText laid = PolicyText.of(0, "test", text, policy);
    next.await(policy, laid);
    return laid.digest();
  }
}
