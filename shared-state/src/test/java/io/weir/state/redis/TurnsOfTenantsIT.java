package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One tenant makes thousands of calls at once, another makes one: judged by the order of answers and by calls. */
@ExtendWith(RedisFixture.class)
final class TurnsOfTenantsIT {
  private static final int ASKED = 3000;
  private static final List<Demand> WIDE = List.of(rate("wide", 1_000_000));
  private static final List<Demand> FULL =
      List.of(Demand.of(new Bucket("full", Scope.KEY, 1, 1_000_000)));
  private static final List<KindDemand> QUOTA = List.of(new Quota(
      "q", Scope.KEY, 1_000_000, new FixedPeriods(3_600_000, false), false, 80, false, false));
  private static final List<KindDemand> PERMITS =
      List.of(new Permits("p", Scope.KEY, 100_000, 60_000_000));

  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  static Stream<Arguments> lanes() {
    return Stream.of(
        lane("rates", 4 * 256 + 256, (tenant, n) -> rates(tenant, "k" + n % 50, WIDE, n)),
        lane("quotas", 5 * 64, (tenant, n) -> kinds(tenant, "k" + n % 50, QUOTA, n)),
        lane("permits", 5 * 64, (tenant, n) -> kinds(tenant, "k", PERMITS, n)),
        lane("reservations", 5 * 64, (tenant, n) -> kinds(tenant, "k", List.of(), n)),
        lane("places", 4 * 256 + 256, (tenant, n) -> rates(tenant, "k" + n % 5, FULL, n)));
  }

  private static Arguments lane(String name, int most, BiFunction<String, Integer, Charge> charge) {
    return Arguments.of(name, most, charge);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lanes")
  void noTenantWaitsBehindAllThatAnotherHasAsked(
      String name, int most, BiFunction<String, Integer, Charge> charge) {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    List<String> answered = inOneTurn(() -> {
      List<String> order = new ArrayList<>();
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int n = 0; n < ASKED; n++) {
        all.add(ask(store, charge.apply("noisy", n), "noisy", order));
      }
      all.add(ask(store, charge.apply("quiet", ASKED), "quiet", order));
      return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenApply(v -> order);
    });
    assertThat(answered).hasSize(ASKED + 1);
    assertThat(answered.indexOf("quiet")).describedAs(name).isLessThan(most);
  }

  @Test
  void ofOneTenantTheOrderStays() {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    List<String> order = inOneTurn(() -> {
      List<String> asked = new ArrayList<>();
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int n = 0; n < 500; n++) {
        all.add(ask(store, kinds("noisy", "k", PERMITS, n), "%03d".formatted(n), asked));
      }
      return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenApply(v -> asked);
    });
    assertThat(order).isSorted();
  }

  @Test
  void aCallThatHasDoneEnoughLeavesTheRestToTheNext() {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    List<Demand> full = IntStream.range(0, 30).mapToObj(i -> rate("b" + i, 1)).toList();
    List<Integer> keys = IntStream.range(0, 60).boxed().toList();
    keys.forEach(n ->
        store.tryCharge(rates("acme", "k" + n, full, n)).toCompletableFuture().join());
    long before = calls();
    List<String> order = inOneTurn(() -> {
      List<String> answered = new ArrayList<>();
      List<CompletableFuture<?>> all = keys.stream()
          .<CompletableFuture<?>>map(
              n -> ask(store, rates("acme", "k" + n, full, n), "%03d".formatted(n), answered))
          .toList();
      return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
          .thenApply(v -> answered);
    });
    assertThat(order).hasSize(60).doesNotHaveDuplicates();
    // Each decision counts 36, a call ends at 256: it makes eight of the sixteen that it carries.
    assertThat(calls() - before).isBetween(8L, 24L);
  }

  private static long calls() {
    return connections
        .sync()
        .info("commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_fcall:") || line.startsWith("cmdstat_evalsha:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("^\\w+:calls=(\\d+),.*", "$1")))
        .sum();
  }

  private static CompletableFuture<?> ask(
      RedisBucketStore store, Charge charge, String who, List<String> order) {
    return store.tryCharge(charge).thenAccept(answer -> order.add(who)).toCompletableFuture();
  }

  // Charges asked in one task of the event loop are queued before any is sent; answers come on the
  // loop.
  @SuppressWarnings("FutureReturnValueIgnored") // done is awaited
  private static List<String> inOneTurn(Supplier<CompletableFuture<List<String>>> task) {
    CompletableFuture<List<String>> done = new CompletableFuture<>();
    connections
        .links()
        .get(0)
        .eventLoop()
        .execute(() -> task.get().whenComplete((order, error) -> {
          if (error == null) {
            done.complete(order);
          } else {
            done.completeExceptionally(error);
          }
        }));
    return done.join();
  }

  private static Charge rates(String tenant, String subject, List<Demand> demands, int n) {
    TicketRequest wanted = TicketRequest.wanted(Optional.empty(), "%022d".formatted(n));
    return new Charge(tenant, subject, 1, demands, 1).with(new Queueing(SlotMode.RESERVE, wanted));
  }

  private static Charge kinds(String tenant, String subject, List<KindDemand> kinds, int n) {
    Hold hold = new Hold("hold" + n, 60_000_000, kinds.isEmpty(), true);
    return new Charge(
        tenant,
        subject,
        1,
        new Amount(WIDE, 1, new Extras(kinds, Optional.of(hold))),
        Queueing.NONE,
        FailureMode.DENY);
  }

  private static Demand rate(String name, long opsPerSec) {
    return Demand.of(new Bucket(name, Scope.KEY, 1000 * opsPerSec, 1000));
  }
}
