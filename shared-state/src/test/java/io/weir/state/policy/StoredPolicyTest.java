package io.weir.state.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.policy.InvalidPolicyException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A stored policy that the node cannot read. */
final class StoredPolicyTest {
  private static final PolicyText BAD =
      new PolicyText(2, "bad", "colour: red", "digest of bad", "", "");
  private static final PolicyText GOOD = new PolicyText(
      3,
      "good",
      "buckets: [{ name: a, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1, operations: [A] }] }]\n",
      "digest of good",
      "",
      "");

  private final AtomicReference<PolicyText> stored = new AtomicReference<>(BAD);
  private final AtomicInteger reads = new AtomicInteger();
  private final StoredPolicy policy = new StoredPolicy(() -> {
    reads.incrementAndGet();
    return stored.get();
  });

  @Test
  void aPolicyThatCannotBeReadIsReadOnceAndNotAtEachLook() {
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> policy.read(BAD.digest()))
          .isInstanceOf(InvalidPolicyException.class);
    }
    assertThat(reads).hasValue(1);
  }

  @Test
  void theNextPolicyIsReadAllTheSame() {
    assertThatThrownBy(() -> policy.read(BAD.digest())).isInstanceOf(InvalidPolicyException.class);
    stored.set(GOOD);
    assertThat(policy.read(GOOD.digest()).policy().revision()).isEqualTo(3);
  }
}
