package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.model.InMemoryBucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.CrowdedStore;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.Kind;
import io.weir.testkit.ScenarioRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis makes and keeps the same places as the reference model. */
@ExtendWith(RedisFixture.class)
final class RedisSlotsIT {
  private static RedisDatabase redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisDatabase database, RedisConnections opened) {
    redis = database;
    connections = opened;
  }

  @ParameterizedTest(name = "seeds from {0}")
  @ValueSource(longs = {1, 101, 201})
  void agreesWithMemoryAfterEveryStep(long first) {
    RedisClusterCommands<String, String> commands = connections.sync();
    long made = 0;
    for (long seed = first; seed < first + Histories.count(3, 9); seed++) {
      commands.flushall();
      ManualClock clock = new ManualClock();
      ScenarioRun run = new ScenarioRun(
          new Scenario(seed, Kind.CALLERS),
          Kind.CALLERS,
          clock,
          new InMemoryBucketStore(clock),
          new CrowdedStore(RedisBucketStore.rehearsing(connections, clock), Runnable::run, 5),
          connections.links().get(0).eventLoop());
      run.run(400);
      made += run.seen("made");
      for (String key : commands.keys("weir:{p40}:acme:*")) {
        assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
      }
      everyPlaceIsCounted(commands);
    }
    assertThat(made).isGreaterThan(Histories.count(50, 500));
  }

  // The counts of waiting places in a state's buckets match its queue.
  private static void everyPlaceIsCounted(RedisClusterCommands<String, String> commands) {
    for (String queue : commands.keys("weir:*:queue")) {
      String state = queue.substring(0, queue.length() - ":queue".length());
      String letter = state.endsWith(":tenant") ? "t" : "k";
      Map<String, Long> held = new TreeMap<>();
      for (String place : commands.zrange(queue, 0, -1)) {
        Matcher share = Pattern.compile(" (\\S)\\+(\\S+)=").matcher(place);
        while (share.find()) {
          if (share.group(1).equals(letter)) {
            held.merge(share.group(2) + ".waiting", 1L, Long::sum);
          }
        }
      }
      Map<String, Long> counted = new TreeMap<>();
      States.show(commands, state).forEach((field, value) -> {
        if (field.endsWith(".waiting")) {
          counted.put(field, Long.parseLong(value));
        }
      });
      assertThat(counted).describedAs(queue).isEqualTo(held);
    }
  }

  @Test
  void aLineThatRedisForgotIsNoHindrance() {
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, clock);
    fill(store);
    for (char letter = 'a'; letter < 'd'; letter++) {
      ask(store, TicketRequest.wanted(Optional.empty(), id(letter)));
    }
    assertThat(States.show(commands, "weir:{p40}:acme:key:k1").get("requests@1/1000000.waiting"))
        .isEqualTo("3");
    commands.del("weir:{p40}:acme:key:k1:queue", "weir:{p40}:acme:key:k1:queue:kinds");
    clock.advance(2_000_000);
    assertThat(ask(store, TicketRequest.NONE)).isInstanceOf(Allowed.class);
    assertThat(ask(store, TicketRequest.NONE)).isInstanceOf(Allowed.class);
    assertThat(States.show(commands, "weir:{p40}:acme:key:k1").get("requests@1/1000000.waiting"))
        .isNull();
  }

  @Test
  void twoNodesAskedInTurnNeverContradictEachOther() {
    connections.sync().flushall();
    try (RedisConnections other = RedisConnections.open(redis.uri(), Duration.ofSeconds(5))) {
      List<RedisBucketStore> nodes = List.of(
          RedisBucketStore.of(connections, () -> false), RedisBucketStore.of(other, () -> false));
      List<Long> history = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        TicketRequest wanted = TicketRequest.wanted(Optional.empty(), "%022d".formatted(i));
        if (ask(nodes.get(i % 2), wanted) instanceof Denied denied) {
          history.add(Long.parseLong(denied.ticket().orElseThrow().substring(0, 16)));
        }
      }
      // One a second between successive retry times.
      assertThat(history).hasSizeGreaterThan(50);
      for (int i = 1; i < history.size(); i++) {
        assertThat(history.get(i) - history.get(i - 1)).isEqualTo(1_000_000);
      }
    }
  }

  @Test
  void aTicketThatRedisForgotIsThatOfANewCaller() {
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.flushall();
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, clock);
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
    SlotRules rules = ticket.equals(TicketRequest.NONE) ? SlotRules.OFF : SlotRules.DEFAULT;
    Charge charge = new Charge("acme", "k1", 1, List.of(Demand.of(bucket)), 1)
        .with(new Queueing(rules, ticket));
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private static String id(char letter) {
    return String.valueOf(letter).repeat(TicketRequest.ID_LENGTH);
  }
}
