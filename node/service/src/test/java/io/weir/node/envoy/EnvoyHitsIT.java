package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Hits that are looked at, taken afterwards, alternatives, or given back. */
final class EnvoyHitsIT extends EnvoyCaller {
  @Test
  void hitsAreTheCostAndAnExplicitZeroOnlyLooks() {
    assertThat(ask(4, descriptor("address=3.1")).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("address=3.1", 0)).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("address=3.1", 1)).isOver()).isFalse();
    // One of the descriptors looks, and would be denied: the other is not charged.
    EnvoyAnswer looked = ask(descriptor("address=3.1", 0), descriptor("path=/three"));
    assertThat(looked.isOver()).isTrue();
    assertThat(looked.status(1)).containsEntry("remaining", 3L);
    // More than a limit ever has: no time helps.
    EnvoyAnswer never = ask(descriptor("path=/three", 1L << 40));
    assertThat(never.isOver()).isTrue();
    assertThat(never.status(0)).doesNotContainKey("seconds");
    // Equal descriptors are one.
    assertThat(ask(2, descriptor("path=/three"), descriptor("path=/three")).isOver())
        .isTrue();
    assertThat(ask(descriptor("path=/three"), descriptor("path=/three")).status(1))
        .containsEntry("remaining", 1L);
  }

  @Test
  void hitsAfterTheAnswerAreTakenBeyondTheLimit() {
    for (String key : List.of("tokens=a", "monthly=a")) {
      assertThat(ask(descriptor(key, 7)).status(0)).containsEntry("remaining", 3L);
      assertThat(ask(descriptor(key, 0)).isOver()).isFalse();
      // More than is left, and more than the limit: the next look denies.
      EnvoyAnswer over = ask(descriptor(key, 40));
      assertThat(over.isOver()).isTrue();
      assertThat(over.status(0)).containsEntry("remaining", 0L);
      assertThat(ask(descriptor(key, 0)).isOver()).isTrue();
    }
    // 37 above the limit, and room for one: 3.8 hours.
    assertThat(requireNonNull(ask(descriptor("tokens=a", 0)).status(0).get("seconds")))
        .isBetween(13_600L, 13_700L);
    // A look that denies is a denial, and operators find it.
    assertThat(ask(descriptor("tokens=a", 0)).headers()).containsKey("Retry-After");
    assertThat(fixture.get("/metrics").body())
        .containsPattern("throttle_decisions_total\\{.*operation=\"tokens\".*outcome=\"denied\"");
    // It is taken whatever another descriptor says, and the others only if it has room.
    for (int i = 0; i < 5; i++) {
      ask(descriptor("address=9.1"));
    }
    assertThat(ask(descriptor("address=9.1"), descriptor("tokens=b", 4)).isOver())
        .isTrue();
    assertThat(ask(descriptor("tokens=b", 0)).status(0)).containsEntry("remaining", 6L);
    assertThat(ask(descriptor("address=9.2"), descriptor("tokens=a", 1)).isOver())
        .isTrue();
    assertThat(ask(descriptor("address=9.2", 0)).status(0)).containsEntry("remaining", 5L);
  }

  @Test
  void oneLimitInQuotaModeThatHasRoomIsEnough() {
    MessageWriter model = descriptor("model=a");
    MessageWriter other = descriptor("other=a");
    assertThat(ask(model, other).metadata())
        .containsEntry("passed", List.of("model", "other"))
        .doesNotContainKey("full");
    assertThat(ask(model, other).isOver()).isFalse();
    EnvoyAnswer one = ask(model, other);
    assertThat(one.isOver()).isFalse();
    assertThat(one.metadata()).containsEntry("passed", List.of("other"));
    assertThat(one.status(0)).containsEntry("code", 2L);
    assertThat(one.status(1)).containsEntry("code", 1L).containsEntry("remaining", 0L);
    EnvoyAnswer none = ask(model, other, descriptor("address=8.1"));
    assertThat(none.isOver()).isTrue();
    assertThat(none.full()).containsExactlyInAnyOrder("model", "other");
    // Nothing was charged, and where another descriptor denies nothing is.
    assertThat(ask(descriptor("address=8.1", 0)).status(0)).containsEntry("remaining", 5L);
    assertThat(ask(descriptor("other=b"), descriptor("path=/never")).isOver()).isTrue();
    // A refund is no limit with room.
    EnvoyAnswer refunded = ask(model, refund("other=c", 1), descriptor("address=8.1", 4));
    assertThat(refunded.isOver()).isTrue();
    assertThat(ask(descriptor("address=8.1", 0)).status(0)).containsEntry("remaining", 5L);
    assertThat(ask(descriptor("other=b", 0)).status(0)).containsEntry("remaining", 3L);
  }

  @Test
  void negativeHitsAreGivenBackAsFarAsTheyAreInUse() {
    assertThat(ask(descriptor("address=16.1", 5), descriptor("path=/six", 3)).isOver())
        .isFalse();
    EnvoyAnswer back = ask(refund("address=16.1", 2), refund("path=/six", 100));
    assertThat(back.isOver()).isFalse();
    assertThat(back.status(0)).containsEntry("code", 1L).containsEntry("remaining", 2L);
    assertThat(back.status(1)).containsEntry("code", 1L).containsEntry("remaining", 3L);
    assertThat(ask(descriptor("address=16.1", 2)).isOver()).isFalse();
    assertThat(ask(descriptor("address=16.1", 1)).isOver()).isTrue();
    // Still full after it: a refund is never refused.
    assertThat(ask(descriptor("address=16.2", 5)).isOver()).isFalse();
    EnvoyAnswer none = ask(refund("address=16.2", 0), refund("address=16.3", 1));
    assertThat(none.isOver()).isTrue(); // 0 only looks
    // A calendar period, and more than a number holds.
    assertThat(ask(descriptor("account=16", 4), descriptor("path=/most", 3)).isOver())
        .isFalse();
    assertThat(ask(refund("account=16", 1)).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("account=16", 1)).isOver()).isFalse();
    assertThat(
            ask(refund("path=/most", Long.MAX_VALUE), refund("path=/most", 1)).status(1))
        .containsEntry("remaining", 3L);
    EnvoyAnswer unused = ask(refund("address=16.3", 1));
    assertThat(unused.isOver()).isFalse();
    assertThat(unused.status(0)).containsEntry("remaining", 5L);
  }

  @Test
  void aDeniedRequestGivesNothingBack() {
    assertThat(ask(descriptor("address=17.1", 5), descriptor("path=/seven", 3)).isOver())
        .isFalse();
    EnvoyAnswer denied = ask(descriptor("address=17.1"), refund("path=/seven", 3));
    assertThat(denied.isOver()).isTrue();
    assertThat(denied.full()).containsExactly("address");
    assertThat(denied.status(1)).containsEntry("code", 1L).containsEntry("remaining", 0L);
    assertThat(ask(descriptor("path=/seven", 0)).isOver()).isTrue();
    // Of equal descriptors the sum counts.
    EnvoyAnswer sum = ask(refund("path=/seven", 3), descriptor("path=/seven", 1));
    assertThat(sum.isOver()).isFalse();
    assertThat(sum.status(0)).containsEntry("remaining", 2L);
  }
}
