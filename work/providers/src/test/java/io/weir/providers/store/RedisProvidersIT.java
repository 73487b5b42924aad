package io.weir.providers.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Providers;
import io.weir.testkit.Histories;
import java.util.ArrayList;
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
  @Test
  void theLowerTierIsFilledFirstAndTheOtherTakesTheRest() {
    Providers upstream = upstream(
        true, 100, provider("a", 0, 1, 2, INTERVAL), provider("public", 1, 1, 0, INTERVAL));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "k0", 0, false));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "k1", 0, false));
    assertThat(booked(upstream)).isEqualTo(new Booked("public", "-", 0, false));
    assertThat(book(upstream, 99_999)).isEqualTo(new Booking.Later(100_000));
    assertThat(book(upstream, 100_000)).isEqualTo(new Booked("a", "k0", 100_000, false));
    now += 100_000;
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "k1", 0, false));
    assertThat(booked(upstream)).isEqualTo(new Booked("public", "-", 0, false));
  }

  @Test
  void weightsShareWhatIsFreeSmoothly() {
    Providers upstream =
        upstream(false, 100_000, provider("a", 0, 5, 0, 0), provider("b", 0, 1, 0, 0));
    List<String> turns = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      turns.add(booked(upstream).provider());
    }
    assertThat(turns).containsExactly("a", "a", "a", "b", "a", "a", "a", "a", "a", "b", "a", "a");
  }

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
  void soManyAreUnderWayAndADeadNodesAreFreeAgain() {
    Providers upstream = upstream(true, 2, provider("a", 0, 1, 0, 0));
    booked(upstream);
    booked(upstream);
    assertThat(book(upstream, 0)).isInstanceOf(Booking.Full.class);
    end(upstream, 0, "a", Lesson.NONE);
    booked(upstream);
    now += LEASE / 2;
    assertThat(of(store.renew(upstream, List.of("r1 a", "r9 a")))).containsExactly(true, false);
    now += LEASE / 2 + 1;
    booked(upstream);
    assertThat(book(upstream, 0)).isInstanceOf(Booking.Full.class);
  }

  @Test
  void whoseBreakerIsOpenIsTriedBySingleRequests() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    booked(upstream);
    end(upstream, 0, "a", Lesson.of("", 0, 10_000_000, ""));
    assertThat(booked(upstream).provider()).isEqualTo("b");
    end(upstream, 1, "b", Lesson.of("", 0, 20_000_000, ""));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Open(10_000_000));
    now += 10_000_000;
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "-", 0, true));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Open(1_000_000));
    end(upstream, 3, "a", Lesson.of("", 0, 5_000_000, "bad"));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Open(5_000_000));
    now += 5_000_000;
    int probe = requests;
    assertThat(booked(upstream).isProbe()).isTrue();
    end(upstream, probe, "a", Lesson.of("", 0, 0, "good"));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "-", 0, false));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "-", 0, false));
  }

  @Test
  void aProviderIsTriedByRequestsThatAreSentAgainBeforeOthers() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    learn(upstream, "a", Lesson.of("", 0, 1_000_000, ""));
    now += 1_000_000;
    assertThat(unsafe(upstream)).isEqualTo(new Booked("b", "-", 0, false));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "-", 0, true));
    end(upstream, requests - 1, "a", Lesson.of("", 0, 1_000_000, "bad"));
    now += 1_000_000 + 10_000_000;
    assertThat(unsafe(upstream))
        .as("if no request tried it for ten seconds")
        .isEqualTo(new Booked("a", "-", 0, true));
  }

  @Test
  void theOnlyProviderIsTriedByAnyRequest() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0));
    learn(upstream, "a", Lesson.of("", 0, 1_000_000, ""));
    now += 1_000_000;
    assertThat(unsafe(upstream)).isEqualTo(new Booked("a", "-", 0, true));
  }

  @Test
  void aHealthCheckClosesABreakerWhoseTimeIsOver() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0));
    learn(upstream, "a", Lesson.of("", 0, 1_000_000, ""));
    learn(upstream, "a", Lesson.of("", 0, 0, "well"));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Open(1_000_000));
    now += 1_000_001;
    learn(upstream, "a", Lesson.of("", 0, 0, "well"));
    assertThat(booked(upstream).isProbe()).isFalse();
  }

  private Booking unsafe(Providers upstream) {
    Asking asking = new Asking("u" + requests++, GROUP, 0, List.of(), false);
    return of(store.book(RedisProviders.prepare(upstream), "loop", List.of(), List.of(asking)))
        .bookings()
        .get(0);
  }

  @Test
  void anUnfinishedProbeIsGivenToAnotherRequest() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0));
    booked(upstream);
    end(upstream, 0, "a", Lesson.of("", 0, 1_000_000, ""));
    now += 1_000_000;
    assertThat(booked(upstream).isProbe()).isTrue();
    now += 2_000_000; // the time to connect and to answer
    assertThat(booked(upstream).isProbe()).isTrue();
    end(upstream, requests - 1, "a", Lesson.of("", 0, 0, "unknown"));
    assertThat(booked(upstream).isProbe()).isTrue();
  }

  @Test
  void onlyTheKeyThatAProviderNamedIsLeftAlone() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 2, 0), provider("b", 1, 1, 0, 0));
    booked(upstream);
    end(upstream, 0, "a", Lesson.of("k0/default", 3_000_000, 0, ""));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "k1", 0, false));
    Booking other = of(store.book(
            RedisProviders.prepare(upstream),
            "loop",
            List.of(),
            List.of(new Asking("x", "heavy", 0, List.of(), true))))
        .bookings()
        .get(0);
    assertThat(other).isEqualTo(new Booked("a", "k0", 0, false));
    end(upstream, 1, "a", Lesson.of("k1", 2_000_000, 0, ""));
    assertThat(booked(upstream).provider()).isEqualTo("b");
    now += 2_000_000;
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "k1", 0, false));
    end(upstream, requests - 1, "a", Lesson.of("", 1_000_000, 0, ""));
    assertThat(booked(upstream).provider()).isEqualTo("b");
    now += 1_000_000;
    assertThat(booked(upstream).provider()).isEqualTo("a");
  }

  @Test
  void keysTakeTurnsWithoutAnIntervalToo() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 3, 1000));
    for (int i = 0; i < 6; i++) {
      assertThat(booked(upstream).key()).isEqualTo("k" + i % 3);
      now += 10_000;
    }
  }

  @Test
  void anIntervalThatWasLongerOnceIsForgotten() {
    booked(upstream(true, 100, provider("a", 0, 1, 1, 3_600_000_000L)));
    Providers mended = upstream(true, 100, provider("a", 0, 1, 1, INTERVAL));
    assertThat(book(mended, 1_000_000)).isInstanceOf(Booking.Later.class);
    long wait = ((Booking.Later) book(mended, 1_000_000)).waitMicros();
    assertThat(wait).isLessThan(1_200_000);
    now += wait;
    booked(mended);
  }

  @Test
  void aClockThatIsSetBackMakesNothingLast() {
    Providers upstream = upstream(true, 1, provider("a", 0, 1, 1, INTERVAL));
    booked(upstream); // never ended: its node has died
    learn(upstream, "a", Lesson.of("", 3_000_000, 0, ""));
    now -= 3_600_000_000L;
    assertThat(book(upstream, 0)).isInstanceOf(Booking.Full.class);
    now += 60_000_000;
    booked(upstream);
    learn(upstream, "a", Lesson.of("", 0, 10_000_000, ""));
    now -= 3_600_000_000L;
    book(upstream, 0);
    now += 60_000_000;
    assertThat(booked(upstream).isProbe()).isTrue();
  }

  @Test
  void aLeaseRenewedAfterTheClockWasSetBackIsHeld() {
    Providers upstream = upstream(true, 1, provider("a", 0, 1, 0, 0));
    booked(upstream);
    now -= 3_600_000_000L;
    assertThat(store
            .renew(upstream, List.of(RedisProviders.member("r" + (requests - 1), "a")))
            .toCompletableFuture()
            .join())
        .containsExactly(true);
    assertThat(book(upstream, 0)).isInstanceOf(Booking.Full.class);
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
  void aCoolingProviderDoesNotKeepAFreeOneFromBeingAskedAgain() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    booked(upstream);
    learn(upstream, "b", Lesson.of("", 600_000_000, 0, ""));
    assertThat(((Booked) book(upstream, 0, "a/-")).provider()).isEqualTo("a");
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

  @Test
  void anotherProviderIsAskedFirst() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    assertThat(((Booked) book(upstream, 0, "a/-")).provider()).isEqualTo("b");
    assertThat(((Booked) book(upstream, 0, "a/-", "b/-")).provider()).isEqualTo("a");
  }

  private int limit(Providers upstream) {
    return told(upstream, 0).limit();
  }

  private void sample(Providers upstream, long micros) {
    learn(upstream, "a", new Lesson("", 0, 0, "", micros, -1));
  }

  @Test
  void howManyAreUnderWayFollowsHowLongAnswersTake() {
    adaptive = Optional.of(new AdaptiveRule(200_000, 5, 50, 10));
    Providers upstream = upstream(false, 100, provider("a", 0, 1, 0, 0));
    assertThat(limit(upstream)).isEqualTo(10);
    sample(upstream, 100_000);
    assertThat(limit(upstream)).isEqualTo(11);
    sample(upstream, -1); // 11 × 0.85
    assertThat(limit(upstream)).isEqualTo(9);
    sample(upstream, 700_000); // the average is 220 ms now: max(8, 8)
    assertThat(limit(upstream)).isEqualTo(8);
    sample(upstream, 100_000); // 196 ms
    assertThat(limit(upstream)).isEqualTo(9);
    sample(upstream, 5_000_000); // 1157 ms: 9 × 0.85
    assertThat(limit(upstream)).isEqualTo(7);
    for (int i = 0; i < 5; i++) {
      sample(upstream, -1);
    }
    assertThat(limit(upstream)).isEqualTo(5);
    for (int i = 0; i < 80; i++) {
      sample(upstream, 1000);
    }
    assertThat(limit(upstream)).isEqualTo(50);
    sample(upstream, 0);
    assertThat(limit(upstream)).isEqualTo(50);
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
  void aBusyProviderGetsLess() {
    Providers upstream =
        upstream(false, 100_000, provider("a", 0, 1, 0, 0), provider("b", 0, 1, 0, 0));
    learn(upstream, "a", new Lesson("", 0, 0, "", 0, 750));
    Map<String, Integer> turns = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      turns.merge(booked(upstream).provider(), 1, Integer::sum);
    }
    assertThat(turns).isEqualTo(Map.of("a", 20, "b", 80));
    now += 10_000_000; // reports count for ten seconds
    for (int i = 0; i < 100; i++) {
      turns.merge(booked(upstream).provider(), 1, Integer::sum);
    }
    assertThat(turns.get("a")).isBetween(69, 71);
  }

  @Test
  void allNodesGetTheOpenBreakers() {
    Providers upstream = upstream(false, 100, provider("a", 0, 1, 0, 0), provider("b", 0, 1, 0, 0));
    learn(upstream, "a", Lesson.of("", 0, 1_000_000, ""));
    assertThat(told(upstream, 0).open()).isEqualTo(Map.of("a", false));
    now += 1_000_000;
    Map<String, Boolean> open = Map.of();
    for (int i = 0; i < 2; i++) {
      open = told(upstream, 0).open();
    }
    assertThat(open.keySet()).containsExactly("a");
    assertThat(told(upstream, 0).open()).isEqualTo(Map.of("a", true));
  }

  @Test
  void aRepeatedLessonIsLearnedOnce() {
    adaptive = Optional.of(new AdaptiveRule(200_000, 5, 50, 10));
    Providers upstream = upstream(false, 100, provider("a", 0, 1, 0, 0));
    booked(upstream);
    Lesson error = new Lesson("", 1_000_000, 0, "", -1, -1);
    assertThat(end(upstream, 0, "a", error)).isTrue();
    now += 900_000;
    assertThat(end(upstream, 0, "a", error)).isFalse();
    assertThat(limit(upstream)).isEqualTo(8);
    now += 100_000;
    assertThat(booked(upstream).delayMicros()).isZero();
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

  @Test
  void aLostBookingIsForgotten() {
    Providers upstream = upstream(true, 4, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    booked(upstream);
    assertThat(end(upstream, 0, "", Lesson.NONE)).isTrue();
    assertThat(end(upstream, 0, "", Lesson.NONE)).isFalse();
    assertThat(told(upstream, 0).inflight()).isEqualTo(1);
  }
}
