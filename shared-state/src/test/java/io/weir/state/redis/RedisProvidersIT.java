package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.embedded.EmbeddedRedis;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.upstream.AdaptiveRule;
import io.weir.upstream.Booking;
import io.weir.upstream.Booking.Asking;
import io.weir.upstream.Booking.Booked;
import io.weir.upstream.Booking.End;
import io.weir.upstream.Booking.Lesson;
import io.weir.upstream.Booking.Told;
import io.weir.upstream.Bounds;
import io.weir.upstream.BreakerRule;
import io.weir.upstream.KeySlot;
import io.weir.upstream.Provider;
import io.weir.upstream.Providers;
import io.weir.upstream.RetryRule;
import io.weir.upstream.Sending;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Key slots of providers in Redis, by a clock that the test moves. */
final class RedisProvidersIT {
  private static final long INTERVAL = 100_000;
  private static final long LEASE = 15_000_000;
  private static final String GROUP = "default";

  private static EmbeddedRedis redis;
  private static RedisConnections connections;
  private static int upstreams;

  private long now;
  private RedisProviders store;
  private String name;
  private int requests;
  private Optional<AdaptiveRule> adaptive = Optional.empty();

  @BeforeAll
  static void start() {
    redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
    connections = RedisConnections.open(redis.uri(), Duration.ofSeconds(5));
  }

  @AfterAll
  static void stop() {
    connections.close();
    redis.close();
  }

  @BeforeEach
  void begin() {
    now = 4_000_000_000_000_000L;
    name = "up" + upstreams++;
    store = RedisProviders.rehearsing(connections, () -> now);
  }

  private static Provider provider(String name, int tier, int weight, int keys, long interval) {
    List<KeySlot> slots = IntStream.range(0, keys)
        .mapToObj(i -> new KeySlot("k" + i, "Authorization", "Bearer ", "KEY"))
        .toList();
    return new Provider(
        name, URI.create("http://127.0.0.1:1"), tier, weight, 0, Set.of(), slots, interval);
  }

  private Providers upstream(boolean isTiered, int maxInflight, Provider... providers) {
    return new Providers(
        name,
        List.of(providers),
        isTiered,
        new Bounds(maxInflight, adaptive, 10, 1000, LEASE),
        new Sending(1000, 1000, 1000, false, false, Set.of()),
        RetryRule.DEFAULT,
        BreakerRule.DEFAULT);
  }

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private Booking book(Providers upstream, long patience, String... before) {
    return told(upstream, patience, before).bookings().get(0);
  }

  private Told told(Providers upstream, long patience, String... before) {
    Asking asking = new Asking("r" + requests++, GROUP, patience, List.of(before));
    return of(store.book(RedisProviders.prepare(upstream), "loop", List.of(), List.of(asking)));
  }

  private Booked booked(Providers upstream) {
    return (Booked) book(upstream, 0);
  }

  private void learn(Providers upstream, String provider, Lesson lesson) {
    End end = new End("", provider, lesson);
    of(store.book(RedisProviders.prepare(upstream), "loop", List.of(end), List.of()));
  }

  private boolean end(Providers upstream, int request, String provider, Lesson lesson) {
    End end = new End("r" + request, provider, lesson);
    return of(store.book(RedisProviders.prepare(upstream), "loop", List.of(end), List.of()))
        .held()
        .get(0);
  }

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

  // Two of weight 5 with two keys each, and one of weight 1: as many as the keys may send, by
  // weight below that.
  @Test
  void noKeyIsUsedTwiceWithinItsIntervalAndNoneIsIdleWhereSomebodyWaits() {
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
    while (sent < 10_000) {
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
    assertThat(counts.getOrDefault("a", 0) / 10_000.0).isCloseTo(0.4, within(0.02));
    assertThat(counts.getOrDefault("b", 0) / 10_000.0).isCloseTo(0.4, within(0.02));
    assertThat(counts.getOrDefault("public", 0) / 10_000.0).isCloseTo(0.2, within(0.02));
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
  void aProbeThatNobodyEndsIsGivenToAnother() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 0, 0));
    booked(upstream);
    end(upstream, 0, "a", Lesson.of("", 0, 1_000_000, ""));
    now += 1_000_000;
    assertThat(booked(upstream).isProbe()).isTrue();
    now += 2_000_000; // its times to connect and to answer
    assertThat(booked(upstream).isProbe()).isTrue();
    end(upstream, requests - 1, "a", Lesson.of("", 0, 0, "unknown"));
    assertThat(booked(upstream).isProbe()).isTrue();
  }

  @Test
  void whatAProviderSaidIsLeftAloneIsNoMoreThanThat() {
    Providers upstream = upstream(true, 100, provider("a", 0, 1, 2, 0), provider("b", 1, 1, 0, 0));
    booked(upstream);
    end(upstream, 0, "a", Lesson.of("k0/default", 3_000_000, 0, ""));
    assertThat(booked(upstream)).isEqualTo(new Booked("a", "k1", 0, false));
    Booking other = of(store.book(
            RedisProviders.prepare(upstream),
            "loop",
            List.of(),
            List.of(new Asking("x", "heavy", 0, List.of()))))
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
    assertThat(((Booking.Later) book(mended, 1_000_000)).waitMicros()).isLessThan(1_200_000);
  }

  @Test
  void whoCoolsDoesNotKeepOneThatIsFreeFromBeingAskedAgain() {
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
    for (String key : RedisKeys.upstream(name)) {
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
        .isEqualTo(new Told(List.of(), List.of(new Booking.Full()), 2, 2, Map.of()));
    sample(upstream, 1000);
    assertThat(told(upstream, 0).inflight()).isEqualTo(3);
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Full());
  }

  @Test
  void whoIsBusyGetsLess() {
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
  void allNodesHearWhoseBreakerIsOpen() {
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
  void whatIsToldTwiceIsLearnedOnce() {
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
  void aGroupWithOneProviderLeavesRoomToTheOthers() {
    Provider slow = new Provider(
        "slow", URI.create("http://127.0.0.1:1"), 0, 1, 0, Set.of(GROUP), List.of(), 0);
    Provider other =
        new Provider("b", URI.create("http://127.0.0.1:1"), 0, 1, 0, Set.of("heavy"), List.of(), 0);
    Providers upstream = upstream(true, 8, slow, other);
    for (int i = 0; i < 6; i++) {
      assertThat(booked(upstream).provider()).isEqualTo("slow");
    }
    Asking one = new Asking("x", GROUP, 0, List.of());
    Asking two = new Asking("y", GROUP, 0, List.of());
    Asking heavy = new Asking("z", "heavy", 0, List.of());
    assertThat(of(store.book(
                RedisProviders.prepare(upstream), "loop", List.of(), List.of(one, heavy, two)))
            .bookings())
        .containsExactly(
            new Booking.Full(), new Booked("b", "-", 0, false), new Booking.NotAsked());
  }

  private Booking book(Providers upstream, String caller, End... ends) {
    return book(upstream, caller, GROUP, ends);
  }

  private Booking book(Providers upstream, String caller, String group, End... ends) {
    Asking asking = new Asking("r" + requests++, group, 0, List.of());
    return of(store.book(RedisProviders.prepare(upstream), caller, List.of(ends), List.of(asking)))
        .bookings()
        .get(0);
  }

  @Test
  void whereThereIsNoRoomThoseThatWereToldSoFirstComeFirst() {
    Providers upstream = upstream(true, 1, provider("a", 0, 1, 0, 0));
    assertThat(book(upstream, "one")).isInstanceOf(Booked.class);
    for (String caller : List.of("two", "three")) {
      now += 1000;
      assertThat(book(upstream, caller)).isInstanceOf(Booking.Full.class);
    }
    // Who gives it back does not take it again: two are before it.
    assertThat(book(upstream, "one", new End("r0", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "three")).isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "two")).isInstanceOf(Booked.class);
    now += 50_000;
    assertThat(book(upstream, "one")).isInstanceOf(Booking.Full.class);
    assertThat(end(upstream, requests - 2, "a", Lesson.NONE)).isTrue();
    // Who has not asked again is not waited for.
    now += 51_000;
    assertThat(book(upstream, "one")).isInstanceOf(Booked.class);
  }

  @Test
  void groupsTakeTurnsAcrossCallers() {
    Providers upstream = upstream(true, 1, provider("a", 0, 1, 0, 0));
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booking.Full.class);
    now += 1000;
    assertThat(book(upstream, "one", "light", new End("r0", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy", new End("r3", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
  }

  @Test
  void aGroupWhoseProvidersAreBusyHoldsNoRoomOfTheOthers() {
    Provider slow = new Provider(
        "slow", URI.create("http://127.0.0.1:1"), 0, 1, 1, Set.of("heavy"), List.of(), 0);
    Provider light =
        new Provider("b", URI.create("http://127.0.0.1:1"), 1, 1, 1, Set.of("light"), List.of(), 0);
    Providers upstream = upstream(true, 2, slow, light);
    assertThat(book(upstream, "one", "heavy")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booking.Full.class);
    now += 1000;
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
  }

  private static Provider of(String name, int most, String group) {
    return new Provider(
        name, URI.create("http://127.0.0.1:1"), 0, 1, most, Set.of(group), List.of(), 0);
  }

  @Test
  void aGroupHoldsNoMoreRoomThanItCanUse() {
    Providers upstream = upstream(true, 5, of("one", 1, "heavy"), of("two", 5, "light"));
    assertThat(book(upstream, "holder", "heavy")).isInstanceOf(Booked.class);
    for (int i = 0; i < 8; i++) {
      now += 1000;
      assertThat(book(upstream, "h" + i, "heavy")).isInstanceOf(Booking.Full.class);
    }
    now += 1000;
    assertThat(end(upstream, 0, "one", Lesson.NONE)).isTrue();
    // One place is for the first of those that wait, the other four are not.
    for (int i = 0; i < 4; i++) {
      assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
    }
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "h0", "heavy")).isInstanceOf(Booked.class);
  }

  @Test
  void aGroupWhoseFreeProviderIsLeftAloneHoldsNoRoom() {
    Providers upstream = upstream(
        true, 5, of("hangs", 2, "heavy"), of("broken", 2, "heavy"), of("idle", 3, "light"));
    assertThat(book(upstream, "a", "heavy")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "a", "heavy")).isInstanceOf(Booked.class);
    Booked broken = (Booked) book(upstream, "a", "heavy");
    String other = broken.provider();
    end(upstream, requests - 1, other, Lesson.of("", 0, 60_000_000, ""));
    Booking next = book(upstream, "a", "heavy");
    while (next instanceof Booked) {
      next = book(upstream, "a", "heavy");
    }
    assertThat(next).isInstanceOf(Booking.Full.class);
    for (String caller : List.of("b", "c", "d")) {
      now += 1000;
      assertThat(book(upstream, caller, "heavy")).isInstanceOf(Booking.Full.class);
    }
    now += 1000;
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
  }

  private static Provider ofAll(String name, int most) {
    return new Provider(name, URI.create("http://127.0.0.1:1"), 0, 1, most, Set.of(), List.of(), 0);
  }

  @Test
  void groupsTakeTurnsAtABusyProviderToo() {
    Providers upstream = upstream(true, 8, ofAll("a", 1), of("b", 1, "other"));
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booking.Full.class);
    now += 1000;
    assertThat(book(upstream, "one", "light", new End("r0", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    assertThat(book(upstream, "three", "other")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booked.class);
  }

  @Test
  void asManyAsThereArePlacesAreServedAtOnce() {
    Provider[] all = new Provider[10];
    for (int i = 0; i < all.length; i++) {
      all[i] = ofAll("p" + i, 1);
    }
    Providers upstream = upstream(true, 20, all);
    List<Booked> held = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      held.add((Booked) book(upstream, "holder"));
    }
    int first = requests - all.length;
    for (int i = 0; i < all.length; i++) {
      now += 1000;
      assertThat(book(upstream, "c" + i)).isInstanceOf(Booking.Full.class);
    }
    for (int i = 0; i < all.length; i++) {
      assertThat(end(upstream, first + i, held.get(i).provider(), Lesson.NONE)).isTrue();
    }
    now += 1000;
    assertThat(book(upstream, "late")).isInstanceOf(Booking.Full.class);
    for (int i = all.length - 1; i >= 0; i--) {
      assertThat(book(upstream, "c" + i)).as("c" + i).isInstanceOf(Booked.class);
    }
  }

  @Test
  void aProviderThatIsLeftAloneForLongDoesNotHideOneThatIsFreeSoon() {
    Providers upstream = upstream(true, 8, ofAll("a", 1), provider("b", 1, 1, 0, 0));
    assertThat(booked(upstream).provider()).isEqualTo("a");
    assertThat(booked(upstream).provider()).isEqualTo("b");
    end(upstream, requests - 1, "b", Lesson.of("", 60_000_000, 0, ""));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Full());
    end(upstream, requests - 3, "a", Lesson.of("", 0, 5_000_000, ""));
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Later(5_000_000));
  }

  @Test
  void aGroupWhoseFreeKeyIsNotDueHoldsNoRoom() {
    Provider seldom = new Provider(
        "seldom",
        URI.create("http://127.0.0.1:1"),
        0,
        1,
        9,
        Set.of("heavy"),
        List.of(),
        3_600_000_000L);
    Providers upstream = upstream(true, 4, seldom, of("busy", 1, "heavy"), of("idle", 9, "light"));
    assertThat(book(upstream, "a", "heavy")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "a", "heavy")).isInstanceOf(Booked.class);
    for (String caller : List.of("b", "c", "d")) {
      now += 1000;
      assertThat(book(upstream, caller, "heavy")).isInstanceOf(Booking.Full.class);
    }
    now += 1000;
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
    assertThat(book(upstream, "loop", "light")).isInstanceOf(Booked.class);
  }

  @Test
  void whoAsksForAGroupNoMoreIsNotWaitedFor() {
    Providers upstream = upstream(true, 1, provider("a", 0, 1, 0, 0));
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
    now += 1000;
    assertThat(book(upstream, "two", "heavy")).isInstanceOf(Booking.Full.class);
    now += 1000;
    assertThat(book(upstream, "one", "light", new End("r0", "a", Lesson.NONE)))
        .isInstanceOf(Booking.Full.class);
    of(store.book(RedisProviders.prepare(upstream), "two", List.of(), List.of()));
    assertThat(book(upstream, "one", "light")).isInstanceOf(Booked.class);
  }

  @Test
  void oneThatIsSlowLeavesRoomToTheOthers() {
    Providers upstream = upstream(true, 8, provider("slow", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    for (int i = 0; i < 6; i++) {
      assertThat(booked(upstream).provider()).isEqualTo("slow");
    }
    assertThat(booked(upstream).provider()).isEqualTo("b");
    assertThat(booked(upstream).provider()).isEqualTo("b");
    assertThat(book(upstream, 0)).isEqualTo(new Booking.Full());
    end(upstream, 0, "slow", Lesson.NONE);
    assertThat(booked(upstream).provider()).isEqualTo("slow");
    end(upstream, 6, "b", Lesson.NONE);
    assertThat(booked(upstream).provider()).isEqualTo("b");
  }

  @Test
  void aProviderMayHaveABoundOfItsOwn() {
    Provider own =
        new Provider("own", URI.create("http://127.0.0.1:1"), 0, 1, 2, Set.of(), List.of(), 0);
    Providers upstream = upstream(true, 8, own, provider("b", 1, 1, 0, 0));
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      sent.add(booked(upstream).provider());
    }
    assertThat(sent).containsExactly("own", "own", "b", "b", "b", "b", "b", "b");
    Providers alone = upstream(true, 8, provider("b", 1, 1, 0, 0));
    for (int i = 0; i < 2; i++) {
      end(upstream, i, "own", Lesson.NONE);
      assertThat(booked(alone).provider()).isEqualTo("b");
    }
  }

  @Test
  void whatADeadNodeHadUnderWayIsFreeForItsProviderToo() {
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
        .isEqualTo(new Told(List.of(), List.of(new Booking.Full()), 4, 4, Map.of()));
  }

  @Test
  void aBookingThatNobodyHeardOfIsForgotten() {
    Providers upstream = upstream(true, 4, provider("a", 0, 1, 0, 0), provider("b", 1, 1, 0, 0));
    booked(upstream);
    assertThat(end(upstream, 0, "", Lesson.NONE)).isTrue();
    assertThat(end(upstream, 0, "", Lesson.NONE)).isFalse();
    assertThat(told(upstream, 0).inflight()).isEqualTo(1);
  }
}
