package io.weir.providers.store;

import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.Booked;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.BreakerRule;
import io.weir.providers.rule.JsonRpcRule;
import io.weir.providers.rule.KeySlot;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Sending;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Base of tests of upstreams in a Redis of their own, with a manual clock. One upstream for each test. */
@ExtendWith(RedisFixture.class)
abstract class ProvidersInRedis {
  static final long INTERVAL = 100_000;
  static final long LEASE = 15_000_000;
  static final String GROUP = "default";

  static RedisConnections connections;
  static int upstreams;

  long now;
  RedisProviders store;
  String name;
  int requests;
  Optional<AdaptiveRule> adaptive = Optional.empty();

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @BeforeEach
  void begin() {
    now = 4_000_000_000_000_000L;
    name = "up" + upstreams++;
    store = new RedisProviders(connections, StoreClock.of(() -> now));
  }

  static Provider provider(String name, int tier, int weight, int keys, long interval) {
    List<KeySlot> slots = IntStream.range(0, keys)
        .mapToObj(i -> new KeySlot("k" + i, "Authorization", "Bearer ", "KEY"))
        .toList();
    return new Provider(
        name,
        URI.create("http://127.0.0.1:1"),
        new Provider.Rank(tier, weight),
        new Provider.Load(0, interval),
        Set.of(),
        slots);
  }

  Providers upstream(boolean isTiered, int maxInflight, Provider... providers) {
    return new Providers(
        name,
        List.of(providers),
        isTiered,
        new Bounds(maxInflight, adaptive, 10, 1000, LEASE),
        new Sending(1000, 1000, 1000, false, JsonRpcRule.NONE, RepeatRule.NONE),
        new Providers.Resilience(RetryRule.DEFAULT, BreakerRule.DEFAULT, Optional.empty()));
  }

  static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  Booking book(Providers upstream, long patience, String... before) {
    return told(upstream, patience, before).bookings().get(0);
  }

  BookingAnswer told(Providers upstream, long patience, String... before) {
    Asking asking = new Asking("r" + requests++, GROUP, patience, List.of(before), true);
    return of(store.book(RedisProviders.prepare(upstream), "loop", List.of(), List.of(asking)));
  }

  Booked booked(Providers upstream) {
    return (Booked) book(upstream, 0);
  }

  void learn(Providers upstream, String provider, Lesson lesson) {
    End end = new End("", provider, lesson);
    of(store.book(RedisProviders.prepare(upstream), "loop", List.of(end), List.of()));
  }

  boolean end(Providers upstream, int request, String provider, Lesson lesson) {
    End end = new End("r" + request, provider, lesson);
    return of(store.book(RedisProviders.prepare(upstream), "loop", List.of(end), List.of()))
        .held()
        .get(0);
  }

  Booking book(Providers upstream, String caller, End... ends) {
    return book(upstream, caller, GROUP, ends);
  }

  Booking book(Providers upstream, String caller, String group, End... ends) {
    Asking asking = new Asking("r" + requests++, group, 0, List.of(), true);
    return of(store.book(RedisProviders.prepare(upstream), caller, List.of(ends), List.of(asking)))
        .bookings()
        .get(0);
  }

  static Provider of(String name, int most, String... groups) {
    return of(name, new Provider.Rank(0, 1), new Provider.Load(most, 0), groups);
  }

  static Provider of(String name, Provider.Rank rank, Provider.Load load, String... groups) {
    return new Provider(
        name, URI.create("http://127.0.0.1:1"), rank, load, Set.of(groups), List.of());
  }
}
