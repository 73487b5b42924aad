package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Decision;
import io.weir.decision.Decision.Allowed;
import io.weir.decision.Decision.Denied;
import io.weir.embedded.EmbeddedRedis;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.state.memory.InMemoryBucketStore;
import io.weir.testkit.Callers;
import io.weir.testkit.ManualClock;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer.Decided;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis makes the same appointments as the reference, and keeps them the same way. */
final class RedisSlotsIT {
  private static EmbeddedRedis redis;
  private static RedisConnections connections;

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

  @ParameterizedTest(name = "seeds from {0}")
  @ValueSource(longs = {1, 101, 201})
  void agreesWithMemoryAfterEveryStep(long first) {
    RedisCommands<String, String> commands = connections.connection().sync();
    long made = 0;
    for (long seed = first; seed < first + 9; seed++) {
      commands.flushall();
      ManualClock clock = new ManualClock();
      Callers callers = new Callers(
          seed,
          1 + (int) (seed % 3),
          clock,
          List.of(
              new InMemoryBucketStore(clock),
              RedisBucketStore.rehearsing(connections.connection(), clock)));
      callers.ask(600);
      made += callers.made();
      for (String key : commands.keys("weir:*")) {
        assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
      }
    }
    assertThat(made).isGreaterThan(500);
  }

  @Test
  void aTicketThatRedisForgotIsThatOfANewCaller() {
    RedisCommands<String, String> commands = connections.connection().sync();
    commands.flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections.connection(), clock);
    fill(store);
    Denied denied = (Denied) ask(store, TicketRequest.wanted(Optional.empty(), id('a')));
    commands.flushall();
    assertThat(ask(store, TicketRequest.wanted(denied.ticket(), id('b'))))
        .isInstanceOf(Allowed.class);
    fill(store);
    Denied again = (Denied) ask(store, TicketRequest.wanted(denied.ticket(), id('c')));
    assertThat(again.ticket()).isPresent().isNotEqualTo(denied.ticket());
  }

  private static void fill(BucketStore store) {
    while (ask(store, TicketRequest.NONE) instanceof Allowed) {
      // two operations fit
    }
  }

  private static Decision ask(BucketStore store, TicketRequest ticket) {
    Bucket bucket = new Bucket("requests", Scope.KEY, 1000, 2000);
    Charge charge = new Charge(
        "acme",
        "k1",
        1,
        List.of(new Draw(bucket, 1_000_000_000)),
        1,
        ticket.equals(TicketRequest.NONE) ? SlotRules.OFF : SlotRules.DEFAULT,
        ticket);
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private static String id(char letter) {
    return String.valueOf(letter).repeat(TicketRequest.ID_LENGTH);
  }
}
