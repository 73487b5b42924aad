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
      """;

  @Test
  void aDeadlineThatPassesBetweenTwoStepsIsNotCharged() {
    AtomicInteger looks = new AtomicInteger();
    Deadline second = () -> {
      if (looks.incrementAndGet() == 2) {
        throw new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "late");
      }
    };
    try (ManualRateLimits limits = new ManualRateLimits(POLICY)) {
      assertThatThrownBy(() -> limits.ask(message(), second)).hasMessageContaining("late");
      assertThat(limits.ask(message()).isOver()).isFalse();
      assertThat(limits.ask(message()).isOver()).isTrue();
    }
  }

  private static Buffer message() {
    return new MessageWriter()
        .add(1, "edge")
        .add(2, descriptor("tried"))
        .add(2, descriptor("a"))
        .bytes();
  }

  private static MessageWriter descriptor(String key) {
    return new MessageWriter().add(1, new MessageWriter().add(1, key).add(2, "x"));
  }
}
