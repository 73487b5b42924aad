package io.weir.providers.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Providers;
import io.weir.testkit.Histories;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Key slots of providers in Redis, with a manual clock. */
@Tag("engine")
final class RedisProvidersIT extends ProvidersInRedis {
  // Two providers of weight 5 with two keys each, and one of weight 1: at high load as many
  // requests as the keys may send, below that by weight.
  @Test
  void noKeyIsUsedTwiceWithinItsIntervalAndNoneIsIdleWhileARequestWaits() {
    Providers upstream = upstream(
        true,
        100_000,
        provider("a", 0, 5, 2, INTERVAL),
        provider("b", 0, 5, 2, INTERVAL),
        provider("public", 1, 1, 0, INTERVAL));
    Random random = new Random(7);
    Map<String, Long> last = new HashMap<>();
    Map<String, Integer> counts = new HashMap<>();
    int sent = 0;
    long begun = now;
    int most = Histories.count(2000, 10_000);
    while (sent < most) {
      if (book(upstream, 200_000) instanceof Booked booked) {
        String key = booked.provider() + "/" + booked.key();
        long at = now + booked.delayMicros();
        assertThat(at - last.getOrDefault(key, 0L)).isGreaterThanOrEqualTo(INTERVAL);
        last.put(key, at);
        counts.merge(booked.provider(), 1, Integer::sum);
        end(upstream, requests - 1, booked.provider(), Lesson.NONE);
        sent++;
      } else {
        now += random.nextInt(30_000);
      }
    }
    double seconds = (now - begun) / 1e6;
    assertThat(sent / seconds).isGreaterThan(50 * 0.95);
    assertThat(counts.getOrDefault("a", 0) / (double) most).isCloseTo(0.4, within(0.02));
    assertThat(counts.getOrDefault("b", 0) / (double) most).isCloseTo(0.4, within(0.02));
    assertThat(counts.getOrDefault("public", 0) / (double) most).isCloseTo(0.2, within(0.02));
  }

  @Test
  void waitsThatAreOverAreForgotten() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 2, INTERVAL));
    for (int i = 0; i < 20; i++) {
      learn(upstream, "a", Lesson.of("k0/group" + i, 1_000_000, 0, ""));
    }
    assertThat(fields()).filteredOn(field -> field.startsWith("cool:")).hasSize(20);
    now += 2_000_000;
    booked(upstream);
    assertThat(fields()).noneMatch(field -> field.startsWith("cool:"));
  }

  @Test
  void providersThatThePolicyNoLongerHasAreForgotten() {
    Providers both = upstream(false, 100, provider("a", 0, 1, 0, 0), provider("b", 0, 1, 0, 0));
    booked(both);
    learn(both, "b", Lesson.of("", 0, 10_000_000, ""));
    assertThat(fields()).contains("turn:a", "turn:b", "open:b");
    Providers one = upstream(false, 100, provider("a", 0, 1, 0, 0));
    booked(one);
    assertThat(fields()).as("within the same second").contains("turn:b");
    now += 1_000_000;
    booked(one);
    assertThat(fields()).contains("turn:a", "open:b").doesNotContain("turn:b");
    now += 620_000_000; // nodes with the policy before may have used it
    booked(one);
    assertThat(fields()).contains("turn:a").noneMatch(field -> field.endsWith(":b"));
  }

  private List<String> fields() {
    return connections.sync().hkeys(UpstreamKeys.of(name).get(0));
  }

  @Test
  void bothKeysAreForgottenInTheEnd() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0));
    booked(upstream);
    end(upstream, 0, "a", Lesson.NONE);
    booked(upstream);
    for (String key : UpstreamKeys.of(name)) {
      assertThat(connections.sync().pttl(key)).isPositive();
    }
  }

  private void sample(Providers upstream, long micros) {
    learn(upstream, "a", new Lesson("", 0, 0, "", micros, -1));
  }

  @Test
  void noMoreAreUnderWayThanTheLimitSays() {
    adaptive = Optional.of(new AdaptiveRule(200_000, 1, 50, 2));
    Providers upstream = upstream(false, 100, provider("a", 0, 1, 0, 0));
    booked(upstream);
    booked(upstream);
    assertThat(told(upstream, 0))
        .isEqualTo(new BookingAnswer(List.of(), List.of(new Booking.Full()), 2, 2, Map.of()));
    sample(upstream, 1000);
    assertThat(told(upstream, 0).inflight()).isEqualTo(3);
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Full());
  }

  @Test
  void requestsOfADeadNodeAreFreeForItsProviderToo() {
    Providers upstream = upstream(true, 4, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    for (int i = 0; i < 4; i++) {
      booked(upstream);
    }
    now += LEASE;
    for (int i = 0; i < 3; i++) {
      assertThat(booked(upstream).provider()).isEqualTo("a");
    }
    assertThat(booked(upstream).provider()).isEqualTo("b");
    assertThat(told(upstream, 0))
        .isEqualTo(new BookingAnswer(List.of(), List.of(new Booking.Full()), 4, 4, Map.of()));
  }
}
