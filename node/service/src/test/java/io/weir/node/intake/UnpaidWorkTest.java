package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.node.answer.RefusedException;
import io.weir.state.document.PolicyDocuments;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The bound for the bytes that are read for a key and that no limit pays for. */
final class UnpaidWorkTest {
  private static final Policy POLICY = PolicyDocuments.parse(
          "test", """
          buckets: [{ name: a, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1, operations: [A] }] }]
          subjects:
            k1: { tenant: t, secretHash: "%1$s" }
            k2: { tenant: t, secretHash: "%1$s" }
          """.formatted(SecretHash.of("secret").formatted()))
      .policy();

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the clock wraps around
  private final UnpaidWork work = new UnpaidWork(nanos::get);

  @Test
  void aKeyWaitsUntilItsWorkIsMadeUpFor() {
    UnpaidWork.Account one = work.of(subject("k1"));
    one.spend(UnpaidWork.MOST_BYTES);
    assertThat(one.waitFor()).isEmpty();
    one.spend(UnpaidWork.BYTES_PER_SECOND);
    assertThat(one.waitFor()).isPresent();
    Duration wait = one.waitFor().orElseThrow();
    assertThat(wait).isBetween(Duration.ofMillis(990), Duration.ofMillis(1001));
    assertThatThrownBy(one::require).isInstanceOf(RefusedException.class);
    assertThat(work.of(subject("k2")).waitFor()).isEmpty();
    nanos.addAndGet(wait.toNanos());
    assertThat(one.waitFor()).isEmpty();
  }

  @Test
  void anAdmittedItemPaysForItsShareAndForNoMoreThanWasRead() {
    UnpaidWork.Account one = work.of(subject("k1"));
    one.spend(UnpaidWork.MOST_BYTES + UnpaidWork.BYTES_OF_ITEM);
    assertThat(one.waitFor()).isPresent();
    one.pay();
    assertThat(one.waitFor()).isEmpty();
    UnpaidWork.Account later = work.of(subject("k1"));
    for (int i = 0; i < 1000; i++) {
      later.pay();
    }
    later.spend(UnpaidWork.BYTES_OF_ITEM);
    assertThat(later.waitFor()).isPresent();
  }

  @Test
  void anAdmittedRequestPaysForItsWholeBody() {
    UnpaidWork.Account early = work.of(subject("k1"));
    early.payAll();
    early.spend(2 * UnpaidWork.MOST_BYTES);
    assertThat(early.waitFor()).isEmpty();
    UnpaidWork.Account late = work.of(subject("k1"));
    late.spend(2 * UnpaidWork.MOST_BYTES);
    assertThat(late.waitFor()).isPresent();
    late.payAll();
    assertThat(late.waitFor()).isEmpty();
  }

  private static Subject subject(String id) {
    return POLICY.subject(id).orElseThrow();
  }
}
