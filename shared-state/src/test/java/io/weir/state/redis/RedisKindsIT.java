package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.KindsContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RealTime;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of kinds, in Redis, and rules that only a store on Redis's own time shows. */
@ExtendWith(RedisFixture.class)
final class RedisKindsIT extends KindsContract {
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @Override
  protected Stores emptyStores(ManualClock clock) {
    connections.sync().flushall();
    return new Stores(
        RedisBucketStore.rehearsing(connections, clock),
        new RedisHolds(connections, StoreClock.of(clock)));
  }

  @Test
  void aDecisionOfAllKindsIsOneRoundTripOnRedissOwnTime() {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    // The first charge may be sent twice: the calendar is sent as the instants around a clock that
    // is not known yet.
    ask(store, 0);
    long before = calls();
    for (int i = 1; i <= 9; i++) {
      assertThat(ask(store, i)).isInstanceOf(Allowed.class);
    }
    assertThat(calls() - before).isEqualTo(9);
    assertThat(ask(store, 10)).isInstanceOf(Denied.class);
    assertThat(connections.sync().zcard("weir:{72nw}:acme:key:k1:permits:streams"))
        .isEqualTo(10);
    assertThat(connections.sync().zcard("weir:holds")).isEqualTo(10);
  }

  // Found manually: one broken key must not fail the other charges of the same call.
  @Test
  void aStateThatCannotBeReadFailsItsOwnChargesAlone() {
    connections.sync().flushall();
    connections.sync().hset("weir:{72nw}:acme:key:k1:counters", "wrong", "type");
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    List<CompletionStage<StoreAnswer>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(store.tryCharge(charge("k" + (1 + i % 2), 100 + i)));
    }
    for (int i = 0; i < 20; i++) {
      CompletableFuture<StoreAnswer> answer = answers.get(i).toCompletableFuture();
      assertThat(answer.handle((decided, error) -> error == null).join()).isEqualTo(i % 2 == 1);
    }
    assertThat(connections.sync().zcard("weir:holds")).isEqualTo(10);
  }

  @Test
  void aPermitsKeyAlwaysExpires() {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    RedisHolds holds = new RedisHolds(connections);
    for (int i = 0; i < 3; i++) {
      Charge charge = charge("k1", i);
      assertThat(((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision())
          .isInstanceOf(Allowed.class);
      assertThat(connections.sync().pttl("weir:{72nw}:acme:key:k1:permits:streams"))
          .isPositive();
      Held held = Held.of(charge, charge.extras().hold().orElseThrow());
      holds.end(held, new Ending.Cancelled()).toCompletableFuture().join();
      assertThat(connections.sync().exists("weir:{72nw}:acme:key:k1:permits:streams"))
          .isZero();
    }
  }

  // As a release wrote it that knew no marks.
  @Test
  void aReservationWithoutAMarkGivesNothingBack() {
    connections.sync().flushall();
    ManualClock clock = new ManualClock();
    Charge charge = charge("k1", 1);
    RedisBucketStore.rehearsing(connections, clock)
        .tryCharge(charge)
        .toCompletableFuture()
        .join();
    Held held = Held.of(charge, charge.extras().hold().orElseThrow());
    String withoutMark = """
        local text, count = string.gsub(redis.call('GET', KEYS[1]), ' mark=%d+', '')
        redis.call('SET', KEYS[1], text)
        return count
        """;
    String hold = "weir:{72nw}:acme:key:k1:hold:" + held.id();
    assertThat(connections.sync().<Long>eval(withoutMark, ScriptOutputType.INTEGER, hold))
        .isEqualTo(1);
    Map<String, String> before = States.show(connections.sync(), "weir:{72nw}:acme:key:k1");
    RedisHolds holds = new RedisHolds(connections, StoreClock.of(clock));
    assertThat(
            holds.end(held, new Ending.Cancelled()).toCompletableFuture().join().status())
        .isEqualTo(Status.CANCELLED);
    assertThat(States.show(connections.sync(), "weir:{72nw}:acme:key:k1")).isEqualTo(before);
  }

  @Test
  void anExpiredReservationIsEndedWhateverTheNameOfItsSubject() {
    connections.sync().flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore.rehearsing(connections, clock)
        .tryCharge(charge("user:4711", 1))
        .toCompletableFuture()
        .join();
    clock.advance(61_000_000);
    assertThat(expiredAt(clock)).isEqualTo(1);
    assertThat(connections.sync().zcard("weir:holds")).isZero();
    assertThat(
            connections.sync().get("weir:{72nw}:acme:key:user~3A4711:hold:hold%018d".formatted(1)))
        .startsWith("ended");
  }

  @Test
  void aReservationInAPartitionOfAnEarlierReleaseIsDropped() {
    connections.sync().flushall();
    connections.sync().zadd("weir:holds", 1, "weir:{p40}:acme:key:k1:hold:hold000000000000000001");
    assertThat(expiredAt(new ManualClock())).isZero();
    assertThat(connections.sync().zcard("weir:holds")).isZero();
  }

  private static int expiredAt(ManualClock clock) {
    return new RedisHolds(connections, StoreClock.of(clock))
        .expire()
        .toCompletableFuture()
        .join();
  }

  // Counters are forgotten a second after the last of their windows.
  @Test
  void countersLiveAsLongAsTheWindowThatWasWrittenLast() {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    Quota perSecond = new Quota(
        "second", Scope.KEY, 1000, new FixedPeriods(1000, false), false, 80, false, false);
    Charge charge = new Charge(
        "acme",
        "k1",
        1,
        new Amount(
            List.of(rate("a", Scope.KEY)), 1, new Extras(List.of(perSecond), Optional.empty())),
        Queueing.NONE,
        FailureMode.DENY);
    for (int i = 0; i < 3; i++) {
      store.tryCharge(charge).toCompletableFuture().join();
      store.tryCharge(charge).toCompletableFuture().join();
      assertThat(connections.sync().pttl("weir:{72nw}:acme:key:k1:counters"))
          .isBetween(900L, 2000L);
      RealTime.pass(Duration.ofMillis(1200));
    }
  }

  private static Decision ask(RedisBucketStore store, int number) {
    return ((Decided)
            store.tryCharge(charge("k1", number)).toCompletableFuture().join())
        .decision();
  }

  private static Charge charge(String subject, int number) {
    List<Demand> rates =
        List.of(rate("a", Scope.KEY), rate("b", Scope.KEY), rate("c", Scope.TENANT));
    Extras extras = new Extras(
        List.of(
            new Quota(
                "month",
                Scope.KEY,
                1000,
                new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 31),
                false,
                80,
                false,
                false),
            new Permits("streams", Scope.KEY, 10, 60_000_000)),
        Optional.of(new Hold("hold%018d".formatted(number), 60_000_000, true, true)));
    return new Charge(
        "acme", subject, 1, new Amount(rates, 1, extras), Queueing.NONE, FailureMode.DENY);
  }

  private static Demand rate(String name, Scope scope) {
    return Demand.of(new Bucket(name, scope, 1_000_000, 1000));
  }

  private static long calls() {
    Matcher calls = Pattern.compile("cmdstat_(?:eval|evalsha|fcall):calls=(\\d+)")
        .matcher(connections.sync().info("commandstats"));
    long sum = 0;
    while (calls.find()) {
      sum += Long.parseLong(calls.group(1));
    }
    return sum;
  }
}
