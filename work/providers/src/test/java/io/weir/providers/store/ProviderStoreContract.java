package io.weir.providers.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Full;
import io.weir.providers.rule.Booking.Later;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Booking.NotAsked;
import io.weir.providers.rule.Booking.Open;
import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.BreakerRule;
import io.weir.providers.rule.JsonRpcRule;
import io.weir.providers.rule.KeySlot;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.ProviderStore;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Sending;
import io.weir.testkit.ManualClock;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The promises of every {@link ProviderStore}. The test class of a store only makes the store. */
abstract class ProviderStoreContract {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;
  private static final long INTERVAL = 100_000;
  private static final long LEASE = 15 * SECOND;
  private static final long TURN = 1000;
  private static final String CALLER = "node";
  private static final String GROUP = "default";

  private final ManualClock clock = new ManualClock();
  private @Nullable ProviderStore made;
  private int requests;

  /** Makes an empty store on this clock. */
  abstract ProviderStore emptyStore(ManualClock clock);

  @BeforeEach
  void makeStore() {
    made = emptyStore(clock);
  }

  private ProviderStore store() {
    return requireNonNull(made);
  }

  private static Provider provider(String name, int tier, int weight, int keys, long interval) {
    return provider(name, tier, weight, keys, interval, 0, Set.of());
  }

  private static Provider bounded(String name, int most, String... groups) {
    return provider(name, 0, 1, 0, 0, most, Set.of(groups));
  }

  private static Provider provider(
      String name, int tier, int weight, int keys, long interval, int most, Set<String> groups) {
    List<KeySlot> slots = IntStream.range(0, keys)
        .mapToObj(i -> new KeySlot("k" + i, "Authorization", "Bearer ", "KEY"))
        .toList();
    URI uri = URI.create("http://127.0.0.1:1");
    return new Provider(
        name,
        uri,
        new Provider.Rank(tier, weight),
        new Provider.Load(most, interval),
        groups,
        slots);
  }

  private static Providers tiered(int most, Provider... providers) {
    return upstream(true, new Bounds(most, Optional.empty(), 10, 1000, LEASE), providers);
  }

  private static Providers equal(int most, Provider... providers) {
    return upstream(false, new Bounds(most, Optional.empty(), 10, 1000, LEASE), providers);
  }

  private static Providers adaptive(AdaptiveRule rule) {
    Bounds bounds = new Bounds(100, Optional.of(rule), 10, 1000, LEASE);
    return upstream(true, bounds, provider("a", 0, 1, 0, 0));
  }

  private static Providers upstream(boolean isTiered, Bounds bounds, Provider... providers) {
    return new Providers(
        "up",
        List.of(providers),
        isTiered,
        bounds,
        new Sending(1000, 1000, 1000, false, JsonRpcRule.NONE, RepeatRule.NONE),
        new Providers.Resilience(RetryRule.DEFAULT, BreakerRule.DEFAULT, Optional.empty()));
  }

  private BookingAnswer told(
      Providers upstream, String caller, List<End> ends, List<Asking> asking) {
    return store().book(upstream, caller, ends, asking).toCompletableFuture().join();
  }

  private Asking asking(String group, long patience, String... before) {
    return new Asking("r" + requests++, group, patience, List.of(before), true);
  }

  private Booking ask(Providers upstream, String caller, String group) {
    return told(upstream, caller, List.of(), List.of(asking(group, 0)))
        .bookings()
        .get(0);
  }

  private Booking ask(Providers upstream, long patience, String... before) {
    return told(upstream, CALLER, List.of(), List.of(asking(GROUP, patience, before)))
        .bookings()
        .get(0);
  }

  private Booking ask(Providers upstream) {
    return ask(upstream, 0);
  }

  private Booking askWithoutProbe(Providers upstream) {
    Asking one = new Asking("r" + requests++, GROUP, 0, List.of(), false);
    return told(upstream, CALLER, List.of(), List.of(one)).bookings().get(0);
  }

  private String sentTo(Providers upstream) {
    return ((Booked) ask(upstream)).provider();
  }

  private static Booked now(String provider, String key) {
    return new Booked(provider, key, 0, false);
  }

  private boolean end(Providers upstream, String id, String provider, Lesson lesson) {
    return told(upstream, CALLER, List.of(new End(id, provider, lesson)), List.of())
        .held()
        .get(0);
  }

  private void learn(Providers upstream, String provider, Lesson lesson) {
    end(upstream, "", provider, lesson);
  }

  private static Lesson open(long micros) {
    return Lesson.of("", 0, micros, "");
  }

  private static Lesson probed(String result) {
    return Lesson.of("", 0, 0, result);
  }

  private static Lesson cool(String scope, long micros) {
    return Lesson.of(scope, micros, 0, "");
  }

  @Nested
  class KeySlots {
    @Test
    void aKeyIsUsedOnceInItsInterval() {
      Providers upstream = tiered(100, provider("a", 0, 1, 2, INTERVAL));
      assertThat(ask(upstream)).isEqualTo(now("a", "k0"));
      assertThat(ask(upstream)).isEqualTo(now("a", "k1"));
      assertThat(ask(upstream, INTERVAL - 1)).isEqualTo(new Later(INTERVAL));
      assertThat(ask(upstream, INTERVAL)).isEqualTo(new Booked("a", "k0", INTERVAL, false));
      clock.advance(INTERVAL - 1);
      assertThat(ask(upstream)).isEqualTo(new Later(1));
      clock.advance(1);
      assertThat(ask(upstream)).isEqualTo(now("a", "k1"));
    }

    @Test
    void theKeyThatWasUsedLongestAgoIsNext() {
      Providers upstream = tiered(100, provider("a", 0, 1, 3, TURN));
      for (int i = 0; i < 6; i++) {
        assertThat(ask(upstream)).isEqualTo(now("a", "k" + i % 3));
        clock.advance(10 * TURN);
      }
    }

    @Test
    void aKeyOfAnEarlierAttemptIsLast() {
      Providers upstream = tiered(100, provider("a", 0, 1, 2, 0));
      assertThat(ask(upstream, 0, "a/k0")).isEqualTo(now("a", "k1"));
      assertThat(ask(upstream, 0, "a/k0", "a/k1")).isEqualTo(now("a", "k0"));
    }

    @Test
    void afterARefusedKeyAnotherOfTheProviderIsNext() {
      Providers upstream = tiered(100, provider("a", 0, 1, 2, 0), provider("b", 1, 1, 1, 0));
      assertThat(ask(upstream, 0, "!a/k0")).isEqualTo(now("a", "k1"));
      assertThat(ask(upstream, 0, "a/k0")).isEqualTo(now("b", "k0"));
      assertThat(ask(upstream, 0, "!a/k0", "!a/k1")).isEqualTo(now("b", "k0"));
      assertThat(ask(upstream, 0, "!a/k0", "a/k1")).isEqualTo(now("b", "k0"));
    }

    @Test
    void aShorterIntervalIsForBookingsOfBeforeToo() {
      ask(tiered(100, provider("a", 0, 1, 1, HOUR)));
      Providers shorter = tiered(100, provider("a", 0, 1, 1, INTERVAL));
      Booking later = ask(shorter, SECOND);
      assertThat(later).isEqualTo(new Later(SECOND + INTERVAL));
      clock.advance(SECOND + INTERVAL);
      assertThat(ask(shorter)).isEqualTo(now("a", "k0"));
    }
  }

  @Nested
  class Choosing {
    @Test
    void theLowestTierThatIsFreeIsFirst() {
      Providers upstream =
          tiered(100, provider("a", 0, 1, 1, INTERVAL), provider("b", 1, 1, 0, INTERVAL));
      assertThat(sentTo(upstream)).isEqualTo("a");
      assertThat(sentTo(upstream)).isEqualTo("b");
      assertThat(ask(upstream, INTERVAL)).isEqualTo(new Booked("a", "k0", INTERVAL, false));
    }

    @Test
    void weightsShareATierSmoothly() {
      Providers upstream = equal(1000, provider("a", 0, 5, 0, 0), provider("b", 9, 1, 0, 0));
      List<String> turns = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        turns.add(sentTo(upstream));
      }
      assertThat(String.join("", turns)).isEqualTo("aaabaaaaabaa");
    }

    @Test
    void aLoadThatIsReportedReducesTheWeightForTenSeconds() {
      Providers upstream = equal(1000, provider("a", 0, 1, 0, 0), provider("b", 0, 1, 0, 0));
      learn(upstream, "a", new Lesson("", 0, 0, "", 0, 750));
      assertThat(shareOfA(upstream)).isEqualTo(20);
      clock.advance(10 * SECOND);
      assertThat(shareOfA(upstream)).isBetween(49L, 51L);
    }

    private long shareOfA(Providers upstream) {
      return IntStream.range(0, 100).filter(i -> sentTo(upstream).equals("a")).count();
    }

    @Test
    void aProviderOfAnEarlierAttemptIsLast() {
      Providers upstream = tiered(100, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
      assertThat(ask(upstream, 0, "a/-")).isEqualTo(now("b", "-"));
      assertThat(ask(upstream, 0, "a/-", "b/-")).isEqualTo(now("a", "-"));
      learn(upstream, "b", cool("", HOUR));
      assertThat(ask(upstream, 0, "a/-")).isEqualTo(now("a", "-"));
    }

    @Test
    void afterOneThatWasNotBookedNoOtherOfItsGroupIsAsked() {
      Providers upstream = tiered(8, bounded("a", 1, GROUP), bounded("b", 1, "heavy"));
      ask(upstream);
      List<Asking> three = List.of(asking(GROUP, 0), asking("heavy", 0), asking(GROUP, 0));
      assertThat(told(upstream, CALLER, List.of(), three).bookings())
          .containsExactly(new Full(), now("b", "-"), new NotAsked());
    }

    @Test
    void anUnservedGroupHasNoProvider() {
      assertThat(ask(tiered(8, bounded("a", 1, "heavy")))).isEqualTo(new Open(0));
    }
  }

  @Nested
  class UnderWay {
    @Test
    void noMoreAreUnderWayThanTheLimit() {
      Providers upstream = tiered(2, provider("a", 0, 1, 0, 0));
      ask(upstream);
      ask(upstream);
      Asking third = asking(GROUP, 0);
      assertThat(told(upstream, CALLER, List.of(), List.of(third)))
          .isEqualTo(new BookingAnswer(List.of(), List.of(new Full()), 2, 2, Map.of()));
      assertThat(end(upstream, "r0", "a", Lesson.NONE)).isTrue();
      assertThat(end(upstream, "r0", "a", Lesson.NONE)).isFalse();
      assertThat(ask(upstream)).isInstanceOf(Booked.class);
    }

    @Test
    void oneProviderHasThreeQuartersUnlessItIsTheOnlyOne() {
      Providers two = tiered(8, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
      for (int i = 0; i < 6; i++) {
        assertThat(sentTo(two)).isEqualTo("a");
      }
      assertThat(sentTo(two)).isEqualTo("b");
      assertThat(sentTo(tiered(8, provider("a", 0, 1, 0, 0)))).isEqualTo("a");
    }

    @Test
    void aProviderMayHaveALimitOfItsOwn() {
      Providers upstream = tiered(8, bounded("a", 2), provider("b", 1, 1, 0, 0));
      assertThat(List.of(sentTo(upstream), sentTo(upstream), sentTo(upstream)))
          .containsExactly("a", "a", "b");
    }

    @Test
    void aLeaseEndsUnlessItIsRenewed() {
      Providers upstream = tiered(2, provider("a", 0, 1, 0, 0));
      ask(upstream);
      ask(upstream);
      clock.advance(LEASE - 1);
      assertThat(renew(upstream, "r1 a", "r1 b", "r9 a")).containsExactly(true, false, false);
      assertThat(ask(upstream)).isInstanceOf(Full.class);
      clock.advance(1);
      assertThat(renew(upstream, "r0 a")).containsExactly(false);
      assertThat(ask(upstream)).isInstanceOf(Booked.class);
      assertThat(ask(upstream)).isInstanceOf(Full.class);
    }

    private List<Boolean> renew(Providers upstream, String... members) {
      return store().renew(upstream, List.of(members)).toCompletableFuture().join();
    }

    @Test
    void aLeaseBeginsWhenTheRequestMayBeSent() {
      Providers upstream = tiered(2, provider("a", 0, 1, 0, INTERVAL));
      ask(upstream);
      ask(upstream, INTERVAL);
      clock.advance(LEASE);
      assertThat(told(upstream, CALLER, List.of(), List.of()).inflight()).isEqualTo(1);
    }

    @Test
    void aBookingWhoseAnswerWasLostIsEndedById() {
      Providers upstream = tiered(2, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
      ask(upstream);
      List<End> unknown = List.of(End.unknown("r0"), End.unknown("r0"), End.unknown("r9"));
      BookingAnswer told = told(upstream, CALLER, unknown, List.of());
      assertThat(told.held()).containsExactly(true, false, false);
      assertThat(told.inflight()).isZero();
    }

    @Test
    void aLessonCountsOnce() {
      Providers upstream = adaptive(new AdaptiveRule(200_000, 5, 50, 10));
      ask(upstream);
      Lesson error = new Lesson("", SECOND, 0, "", -1, -1);
      end(upstream, "r0", "a", error);
      clock.advance(SECOND - 1);
      end(upstream, "r0", "a", error);
      assertThat(told(upstream, CALLER, List.of(), List.of()).limit()).isEqualTo(8);
      clock.advance(1);
      assertThat(ask(upstream)).isEqualTo(now("a", "-"));
    }
  }

  @Nested
  class AdaptiveLimit {
    private final Providers upstream = adaptive(new AdaptiveRule(200_000, 5, 50, 10));

    private int after(long sampleMicros) {
      learn(upstream, "a", new Lesson("", 0, 0, "", sampleMicros, -1));
      return told(upstream, CALLER, List.of(), List.of()).limit();
    }

    @Test
    void followsTheAverageTimeOfAnswers() {
      assertThat(told(upstream, CALLER, List.of(), List.of()).limit()).isEqualTo(10);
      assertThat(after(100_000)).isEqualTo(11);
      assertThat(after(-1)).as("11 × 0.85").isEqualTo(9);
      assertThat(after(700_000)).as("an average of 220 ms").isEqualTo(8);
      assertThat(after(100_000)).as("196 ms").isEqualTo(9);
      assertThat(after(5_000_000)).as("1157 ms: 9 × 0.85").isEqualTo(7);
      assertThat(after(0)).as("no sample").isEqualTo(7);
    }

    @Test
    void staysBetweenItsBounds() {
      for (int i = 0; i < 50; i++) {
        assertThat(after(-1)).isGreaterThanOrEqualTo(5);
      }
      for (int i = 0; i < 60; i++) {
        assertThat(after(1000)).isLessThanOrEqualTo(50);
      }
      assertThat(after(1000)).isEqualTo(50);
    }
  }

  @Nested
  class Cooldowns {
    @Test
    void areOfAProviderAKeyOrAGroupOfAKey() {
      Providers upstream = tiered(100, provider("a", 0, 1, 2, 0), provider("b", 1, 1, 0, 0));
      learn(upstream, "a", cool("k0/" + GROUP, 3 * SECOND));
      assertThat(ask(upstream)).isEqualTo(now("a", "k1"));
      assertThat(ask(upstream, CALLER, "heavy")).isEqualTo(now("a", "k0"));
      learn(upstream, "a", cool("k1", 2 * SECOND));
      assertThat(ask(upstream)).isEqualTo(now("b", "-"));
      clock.advance(2 * SECOND);
      assertThat(ask(upstream)).isEqualTo(now("a", "k1"));
      learn(upstream, "a", cool("", SECOND));
      assertThat(ask(upstream, CALLER, "heavy")).isEqualTo(now("b", "-"));
      clock.advance(SECOND);
      assertThat(ask(upstream)).isEqualTo(now("a", "k0"));
    }

    @Test
    void theLongerOfTwoCounts() {
      Providers upstream = tiered(100, provider("a", 0, 1, 0, 0));
      learn(upstream, "a", cool("", 3 * SECOND));
      learn(upstream, "a", cool("", SECOND));
      assertThat(ask(upstream)).isEqualTo(new Later(3 * SECOND));
    }
  }

  @Nested
  class Breakers {
    private final Providers one = tiered(100, provider("a", 0, 1, 0, 0));
    private final Providers two = tiered(100, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));

    @Test
    void anOpenBreakerIsTriedByOneRequestAtATime() {
      learn(one, "a", open(SECOND));
      assertThat(ask(one)).isEqualTo(new Open(SECOND));
      clock.advance(SECOND);
      assertThat(ask(one)).isEqualTo(new Booked("a", "-", 0, true));
      assertThat(ask(one)).isEqualTo(new Open(SECOND));
      end(one, "r1", "a", Lesson.of("", 0, 5 * SECOND, "bad"));
      assertThat(ask(one)).isEqualTo(new Open(5 * SECOND));
      clock.advance(5 * SECOND);
      ask(one);
      end(one, "r4", "a", probed("good"));
      assertThat(ask(one)).isEqualTo(now("a", "-"));
      assertThat(ask(one)).isEqualTo(now("a", "-"));
    }

    @Test
    void theFirstOfSeveralToBeTriedIsTheWait() {
      learn(two, "a", open(SECOND));
      learn(two, "b", open(2 * SECOND));
      assertThat(ask(two)).isEqualTo(new Open(SECOND));
    }

    @Test
    void allNodesGetItsState() {
      learn(two, "a", open(SECOND));
      assertThat(told(two, "other", List.of(), List.of()).open()).isEqualTo(Map.of("a", false));
      clock.advance(SECOND);
      ask(two);
      assertThat(told(two, "other", List.of(), List.of()).open()).isEqualTo(Map.of("a", true));
    }

    @Test
    void anUnfinishedProbeIsGivenToAnotherRequest() {
      learn(one, "a", open(SECOND));
      clock.advance(SECOND);
      ask(one);
      clock.advance(2 * SECOND - 1); // the time to connect and to answer
      assertThat(ask(one)).isEqualTo(new Open(1));
      clock.advance(1);
      assertThat(ask(one)).isEqualTo(new Booked("a", "-", 0, true));
      end(one, "r2", "a", probed("unknown"));
      assertThat(ask(one)).isEqualTo(new Booked("a", "-", 0, true));
    }

    @Test
    void aProbeIsLeftToRequestsThatAreSentAgain() {
      learn(two, "a", open(SECOND));
      clock.advance(SECOND + 10 * SECOND - 1);
      assertThat(askWithoutProbe(two)).isEqualTo(now("b", "-"));
      clock.advance(1);
      assertThat(askWithoutProbe(two)).isEqualTo(new Booked("a", "-", 0, true));
    }

    @Test
    void theOnlyProviderIsTriedByAnyRequest() {
      learn(one, "a", open(SECOND));
      clock.advance(SECOND);
      assertThat(askWithoutProbe(one)).isEqualTo(new Booked("a", "-", 0, true));
    }

    @Test
    void aHealthCheckClosesABreakerAfterItsTime() {
      learn(one, "a", open(SECOND));
      clock.advance(SECOND);
      learn(one, "a", probed("well"));
      assertThat(told(one, CALLER, List.of(), List.of()).open()).containsKey("a");
      clock.advance(1);
      learn(one, "a", probed("well"));
      assertThat(ask(one)).isEqualTo(now("a", "-"));
    }

    @Test
    void aWaitIsNotLongerThanUntilTheNextProbe() {
      learn(two, "a", open(SECOND));
      learn(two, "b", cool("", HOUR));
      assertThat(ask(two)).isEqualTo(new Later(SECOND));
    }
  }

  @Nested
  class Turns {
    @Test
    void callersWithoutRoomAreServedInTheirOrder() {
      Providers upstream = tiered(1, provider("a", 0, 1, 0, 0));
      ask(upstream, "one", GROUP);
      full(upstream, "two", GROUP);
      full(upstream, "three", GROUP);
      end(upstream, "r0", "a", Lesson.NONE);
      full(upstream, "one", GROUP);
      full(upstream, "three", GROUP);
      assertThat(ask(upstream, "two", GROUP)).isInstanceOf(Booked.class);
    }

    private void full(Providers upstream, String caller, String group) {
      clock.advance(TURN);
      assertThat(ask(upstream, caller, group)).isInstanceOf(Full.class);
    }

    @Test
    void aCallerThatDoesNotAskAgainIsNotWaitedFor() {
      Providers upstream = tiered(1, provider("a", 0, 1, 0, 0));
      ask(upstream, "one", GROUP);
      full(upstream, "two", GROUP);
      end(upstream, "r0", "a", Lesson.NONE);
      clock.advance(100_000 - 1);
      assertThat(ask(upstream, "one", GROUP)).isInstanceOf(Full.class);
      clock.advance(1);
      assertThat(ask(upstream, "one", GROUP)).isInstanceOf(Booked.class);
    }

    @Test
    void aCallerThatAsksForAnotherGroupIsNotWaitedFor() {
      Providers upstream = tiered(1, provider("a", 0, 1, 0, 0));
      ask(upstream, "one", "light");
      full(upstream, "two", "heavy");
      end(upstream, "r0", "a", Lesson.NONE);
      full(upstream, "one", "light");
      told(upstream, "two", List.of(), List.of());
      assertThat(ask(upstream, "one", "light")).isInstanceOf(Booked.class);
    }

    @Test
    void groupsTakeTurnsAtAProviderToo() {
      Providers upstream = tiered(8, bounded("a", 1), bounded("b", 1, "other"));
      ask(upstream, "one", "light");
      full(upstream, "two", "heavy");
      end(upstream, "r0", "a", Lesson.NONE);
      full(upstream, "one", "light");
      assertThat(ask(upstream, "three", "other")).isEqualTo(now("b", "-"));
      assertThat(ask(upstream, "two", "heavy")).isEqualTo(now("a", "-"));
    }

    @Test
    void aGroupHoldsNoMoreRoomThanItCanUse() {
      Providers upstream = tiered(5, bounded("a", 1, "heavy"), bounded("b", 5, "light"));
      ask(upstream, "holder", "heavy");
      for (int i = 0; i < 8; i++) {
        full(upstream, "h" + i, "heavy");
      }
      end(upstream, "r0", "a", Lesson.NONE);
      for (int i = 0; i < 4; i++) {
        assertThat(ask(upstream, CALLER, "light")).isInstanceOf(Booked.class);
      }
      full(upstream, CALLER, "light");
      assertThat(ask(upstream, "h0", "heavy")).isInstanceOf(Booked.class);
    }

    @Test
    void aShorterIntervalGivesRoomToAllCallersAtOnce() {
      Provider busy = bounded("a", 1);
      Providers before = tiered(8, busy, provider("b", 0, 1, 0, HOUR, 3, Set.of()));
      ask(before, CALLER, GROUP);
      ask(before, CALLER, GROUP);
      full(before, "two", GROUP);
      end(before, "r0", "a", Lesson.NONE);
      clock.advance(TURN);
      Providers after = tiered(8, busy, provider("b", 0, 1, 0, 0, 3, Set.of()));
      assertThat(ask(after, "three", GROUP))
          .as("one place is for the caller before, two are free")
          .isEqualTo(now("a", "-"));
    }

    @Test
    void aGroupWhoseFreeProviderRestsHoldsNoRoom() {
      Provider seldom = provider("seldom", 0, 1, 0, HOUR, 9, Set.of("heavy"));
      Providers upstream = tiered(4, seldom, bounded("busy", 1, "heavy"), bounded("b", 9, "light"));
      ask(upstream, "one", "heavy");
      ask(upstream, "one", "heavy");
      for (String caller : List.of("two", "three", "four")) {
        full(upstream, caller, "heavy");
      }
      assertThat(ask(upstream, CALLER, "light")).isInstanceOf(Booked.class);
      assertThat(ask(upstream, CALLER, "light")).isInstanceOf(Booked.class);
    }
  }

  @Nested
  class SetBackClock {
    @Test
    void lengthensNoLeaseNoWaitAndNoBreaker() {
      Providers upstream = tiered(1, provider("a", 0, 1, 1, INTERVAL));
      ask(upstream); // never ended: its node has died
      learn(upstream, "a", cool("", 3 * SECOND));
      clock.advance(-HOUR);
      assertThat(ask(upstream)).isInstanceOf(Full.class);
      clock.advance(LEASE + SECOND);
      assertThat(ask(upstream)).isEqualTo(now("a", "k0"));
      end(upstream, "r2", "a", open(10 * SECOND));
      clock.advance(-HOUR);
      assertThat(ask(upstream)).isEqualTo(new Open(10 * SECOND));
      clock.advance(10 * SECOND);
      assertThat(ask(upstream)).isEqualTo(new Booked("a", "k0", 0, true));
    }

    @Test
    void endsNothing() {
      Providers upstream = tiered(1, provider("a", 0, 1, 0, 0));
      ask(upstream);
      clock.advance(-HOUR);
      assertThat(store().renew(upstream, List.of("r0 a")).toCompletableFuture().join())
          .containsExactly(true);
      assertThat(ask(upstream)).isInstanceOf(Full.class);
    }
  }

  @Nested
  class Watching {
    private boolean watch(String node) {
      return store().watch("up", node, 60_000).toCompletableFuture().join();
    }

    @Test
    void oneNodeChecksTheHealthOfAnUpstream() {
      assertThat(watch("one")).isTrue();
      assertThat(watch("two")).isFalse();
      assertThat(watch("one")).isTrue();
    }
  }
}
