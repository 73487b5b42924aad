package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.CrowdedStore;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.StepType;
import io.weir.testkit.ScenarioRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis makes and keeps the same places as the reference model. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class RedisSlotsIT {
  private static final Bucket REQUESTS = new Bucket("requests", Scope.KEY, 1000, 2000);

  private static RedisDatabase redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisDatabase database, RedisConnections opened) {
    redis = database;
    connections = opened;
  }

  @ParameterizedTest(name = "seeds from {0} on")
  @ValueSource(longs = {0, 100, 200})
  void agreesWithMemoryAfterEveryStep(long offset) {
    RedisClusterCommands<String, String> commands = connections.sync();
    long made = 0;
    long first = Histories.firstSeed() + offset;
    for (long seed = first; seed < first + Histories.count(3, 9); seed++) {
      commands.flushall();
      ManualClock clock = new ManualClock();
      ScenarioRun run = new ScenarioRun(
          new Scenario(seed, StepType.CALLERS),
          StepType.CALLERS,
          clock,
          new InMemoryBucketStore(clock),
          new CrowdedStore(RedisBucketStore.rehearsing(connections, clock), Runnable::run, 5),
          connections.links().get(0).eventLoop());
      run.run(400);
      made += run.seen("made");
      for (String key : commands.keys("weir:{72nw}:acme:*")) {
        assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
      }
    }
    // A few histories of any seed may make few places.
    assertThat(made).isGreaterThanOrEqualTo(Histories.count(0, 250));
  }

  @Test
  void placesWhoseTicketsRedisForgotAreNoHindrance() {
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, clock);
    fill(store);
    String ticket = "";
    for (char letter = 'a'; letter < 'd'; letter++) {
      Denied denied = (Denied) ask(store, wanted(letter));
      ticket = denied.ticket().orElseThrow();
    }
    assertThat(commands.del("weir:{72nw}:acme:key:k1:tickets")).isEqualTo(1);
    clock.advance(Long.parseLong(ticket.substring(0, 16)) - clock.getAsLong());
    Decided back = decided(store, TicketRequest.wanted(Optional.of(ticket), id('d')));
    assertThat(back.report().returned()).isEqualTo(Returned.UNKNOWN);
    clock.advance(2_000_000);
    assertThat(ask(store, TicketRequest.NONE)).isInstanceOf(Allowed.class);
    assertThat(ask(store, TicketRequest.NONE)).isInstanceOf(Allowed.class);
  }

  @Test
  void aTicketOutlivesALaterOneWithASoonerSlot() {
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.flushall();
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    Bucket slow = new Bucket("slow", Scope.KEY, 10, 100_000);
    fill(store, slow);
    Denied far = (Denied) decided(store, slow, wanted('a')).decision();
    assertThat(far.retryAfterMicros()).isGreaterThan(50_000_000);
    fill(store, REQUESTS);
    ask(store, wanted('b'));
    assertThat(commands.pttl("weir:{72nw}:acme:key:k1:tickets")).isGreaterThan(50_000);
  }

  // The first charge of the call finds a queue that is over, the second one a state without any.
  @Test
  void whatACallTakesOnceNobodyWaitsIsKept() {
    connections.sync().flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, clock);
    fill(store);
    Denied denied = (Denied) ask(store, wanted('a'));
    clock.advance(denied.retryAfterMicros());
    assertThat(ask(store, TicketRequest.wanted(denied.ticket(), id('b'))))
        .isInstanceOf(Allowed.class);
    clock.advance(100_000_000);
    CompletableFuture<CompletionStage<StoreAnswer>> second = new CompletableFuture<>();
    connections.links().get(0).eventLoop().execute(() -> {
      store.tryCharge(charge(REQUESTS, wanted('c')));
      second.complete(store.tryCharge(charge(REQUESTS, TicketRequest.NONE)));
    });
    assertThat(((Decided) second.join().toCompletableFuture().join()).decision())
        .isInstanceOf(Allowed.class);
    assertThat(ask(store, TicketRequest.NONE)).isInstanceOf(Denied.class);
  }

  @Test
  void twoNodesAskedInTurnGiveNoTimeTwice() {
    connections.sync().flushall();
    try (RedisConnections other = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      List<RedisBucketStore> nodes = List.of(
          RedisBucketStore.of(connections, () -> false), RedisBucketStore.of(other, () -> false));
      List<Long> history = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        TicketRequest wanted = TicketRequest.wanted(Optional.empty(), "%022d".formatted(i));
        if (ask(nodes.get(i % 2), wanted) instanceof Denied denied) {
          history.add(Long.parseLong(denied.ticket().orElseThrow().substring(0, 16)));
        }
      }
      assertThat(history).hasSizeGreaterThan(40).doesNotHaveDuplicates();
    }
  }

  @Test
  void aTicketThatRedisForgotIsThatOfANewCaller() {
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, clock);
    fill(store);
    Denied denied = (Denied) ask(store, wanted('a'));
    commands.flushall();
    assertThat(ask(store, TicketRequest.wanted(denied.ticket(), id('b'))))
        .isInstanceOf(Allowed.class);
    fill(store);
    Denied again = (Denied) ask(store, TicketRequest.wanted(denied.ticket(), id('c')));
    assertThat(again.ticket()).isPresent().isNotEqualTo(denied.ticket());
  }

  private static void fill(BucketStore store) {
    fill(store, REQUESTS);
  }

  private static void fill(BucketStore store, Bucket bucket) {
    while (decided(store, bucket, TicketRequest.NONE).decision() instanceof Allowed) {
      // one or two operations fit
    }
  }

  private static Decision ask(BucketStore store, TicketRequest ticket) {
    return decided(store, ticket).decision();
  }

  private static Decided decided(BucketStore store, TicketRequest ticket) {
    return decided(store, REQUESTS, ticket);
  }

  private static Decided decided(BucketStore store, Bucket bucket, TicketRequest ticket) {
    return (Decided)
        store.tryCharge(charge(bucket, ticket)).toCompletableFuture().join();
  }

  private static Charge charge(Bucket bucket, TicketRequest ticket) {
    SlotMode rules = ticket.equals(TicketRequest.NONE) ? SlotMode.OFF : SlotMode.RESERVE;
    return new Charge("acme", "k1", 1, List.of(Demand.of(bucket)), 1)
        .with(new Queueing(rules, ticket));
  }

  private static TicketRequest wanted(char letter) {
    return TicketRequest.wanted(Optional.empty(), id(letter));
  }

  private static String id(char letter) {
    return String.valueOf(letter).repeat(TicketRequest.SECRET_LENGTH);
  }
}
