package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hits that are over, in a message of which the shared state decides only a part. */
final class AfterwardsTest {
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          failureMode: deny
          rules:
            - { match: [{ key: over }], requests: 5, per: day, afterwards: true, name: over }
            - { match: [{ key: a }], requests: 5, per: day, name: a }
            - { match: [{ key: b }], requests: 5, per: day, name: b }
            - { match: [{ key: c }], requests: 5, per: day, mode: quota, name: c }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"b", "c"})
  void hitsThatWereTakenAreAnsweredAsTakenAlthoughTheRestIsDenied(String other) {
    try (ManualRateLimits limits = new ManualRateLimits(POLICY)) {
      limits.loseJointCharges();
      EnvoyAnswer answer = limits.ask(message("over", "a", other));
      assertThat(answer.isOver()).isTrue();
      assertThat(answer.status(0)).containsEntry("code", 1L).containsEntry("remaining", 4L);
      assertThat(answer.status(1)).containsEntry("code", 2L);
      assertThat(answer.status(2)).containsEntry("code", 2L);
      assertThat(answer.headers())
          .containsEntry("Weir-Degraded", "shared-state-away")
          .containsKey("Retry-After");
      assertThat(limits.ask(message("over")).status(0)).containsEntry("remaining", 3L);
    }
  }

  @Test
  void aMessageOfWhichNothingWasTakenIsDeniedAsAWhole() {
    try (ManualRateLimits limits = new ManualRateLimits(POLICY)) {
      limits.loseJointCharges();
      EnvoyAnswer answer = limits.ask(message("a", "b"));
      assertThat(answer.isOver()).isTrue();
      assertThat(answer.status(0)).containsEntry("code", 2L);
      assertThat(answer.headers()).containsEntry("Weir-Degraded", "shared-state-away");
    }
  }

  private static Buffer message(String... keys) {
    MessageWriter message = new MessageWriter().add(1, "edge");
    for (String key : keys) {
      message.add(2, new MessageWriter().add(1, new MessageWriter().add(1, key).add(2, "x")));
    }
    return message.bytes();
  }
}
