package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.weir.node.envoy.GrpcCall.Deadline;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A deadline that passes while a request is decided is not charged, either. */
final class DeadlineTest {
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          rules:
            - { match: [{ key: a }], requests: 1, per: day }
            - { match: [{ key: tried }], requests: 5, per: day, mode: audit }
            - { match: [{ key: over }], requests: 5, per: day, afterwards: true }
      """;

  @Test
  void aDeadlineThatPassesBetweenTwoStepsIsNotCharged() {
    AtomicInteger looks = new AtomicInteger();
    Deadline second = () -> requireOnly(looks.incrementAndGet());
    try (ManualRateLimits limits = new ManualRateLimits(POLICY)) {
      assertThatThrownBy(() -> limits.ask(message(), second)).hasMessageContaining("late");
      assertThat(limits.ask(message()).isOver()).isFalse();
      assertThat(limits.ask(message()).isOver()).isTrue();
    }
  }

  @Test
  void aChargeAfterTheAnswerIsNotSaidToBeNone() {
    AtomicInteger looks = new AtomicInteger();
    try (ManualRateLimits limits = new ManualRateLimits(POLICY)) {
      EnvoyAnswer taken = EnvoyAnswer.of(
          limits.ask(message("over", "a"), () -> requireOnly(looks.incrementAndGet())));
      assertThat(taken.isOver()).isFalse();
      assertThat(taken.status(0)).containsEntry("remaining", 4L);
    }
  }

  private static void requireOnly(int look) {
    if (look > 1) {
      throw new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "late");
    }
  }

  private static Buffer message() {
    return message("tried", "a");
  }

  private static Buffer message(String... keys) {
    MessageWriter message = new MessageWriter().add(1, "edge");
    for (String key : keys) {
      message.add(2, descriptor(key));
    }
    return message.bytes();
  }

  private static MessageWriter descriptor(String key) {
    return new MessageWriter().add(1, new MessageWriter().add(1, key).add(2, "x"));
  }
}
