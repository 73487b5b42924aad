package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Charges that travel in one call, and their answers. */
@ExtendWith(RedisFixture.class)
final class RedisBatchesIT {
  private static final List<Demand> TEN =
      List.of(Demand.of(new Bucket("ten", Scope.KEY, 1, 10_000_000)));

  private RedisConnections connections;
  private RedisClusterCommands<String, String> commands;
  private RedisBucketStore store;

  @BeforeEach
  void start(RedisConnections opened) {
    connections = opened;
    commands = connections.sync();
    store = RedisBucketStore.of(connections, () -> false);
    // Redis learns the script.
    together(List.of(charge("first"))).forEach(RedisBatchesIT::decided);
  }

  @Test
  void questionsOfOneTurnShareAsFewCallsAsPossible() {
    long before = calls();
    List<Charge> charges = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      charges.add(charge("k" + i));
    }
    assertThat(together(charges)).allMatch(answer -> decided(answer) instanceof Allowed);
    assertThat(calls() - before).isEqualTo(3); // 85 charges of one bucket in a call
  }

  @Test
  void equalChargesOfOneSubjectAreOneEntryAndAsManyAnswers() {
    long before = calls();
    List<Charge> charges = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      charges.add(charge("hot"));
    }
    List<CompletionStage<StoreAnswer>> answers = together(charges);
    for (int i = 0; i < 30; i++) {
      Decision decision = decided(answers.get(i));
      assertThat(decision.limits().get(0).remaining()).isEqualTo(Math.max(0, 9 - i));
      assertThat(decision instanceof Allowed).isEqualTo(i < 10);
    }
    assertThat(calls() - before).isEqualTo(1);
  }

  @Test
  void oneThatFailsFailsAlone() {
    commands.set("weir:{72nw}:acme:key:broken", "this is no state");
    List<CompletionStage<StoreAnswer>> answers =
        together(List.of(charge("a"), charge("broken"), charge("b"), charge("a")));
    assertThat(decided(answers.get(0))).isInstanceOf(Allowed.class);
    assertThat(answers.get(1).toCompletableFuture())
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableOfType(Exception.class)
        .withCauseInstanceOf(StoreUnavailableException.class)
        .withMessageContaining("weir:{72nw}:acme:key:broken holds no state");
    assertThat(decided(answers.get(2))).isInstanceOf(Allowed.class);
    assertThat(decided(answers.get(3)).limits().get(0).remaining()).isEqualTo(8);
    assertThat(commands.get("weir:{72nw}:acme:key:broken")).isEqualTo("this is no state");
  }

  @Test
  void aValueOfAnotherTypeIsNeitherReadNorReplaced() {
    commands.hset("weir:{72nw}:acme:key:hash", "at_us", "1");
    List<CompletionStage<StoreAnswer>> answers = together(List.of(charge("hash"), charge("b")));
    assertThat(answers.get(0).toCompletableFuture()).failsWithin(Duration.ofSeconds(5));
    assertThat(decided(answers.get(1))).isInstanceOf(Allowed.class);
    assertThat(commands.hgetall("weir:{72nw}:acme:key:hash")).hasSize(1);
  }

  @Test
  void aStateHoldsAsManyBucketsAsAPolicyHas() {
    List<Demand> demands = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      Bucket bucket = new Bucket("bucket-" + i, Scope.KEY, 1, 10_000_000);
      demands.add(Demand.of(bucket));
    }
    Charge all = new Charge("acme", "k", 1, List.copyOf(demands), 1);
    List<CompletionStage<StoreAnswer>> answers = together(List.of(all, all, charge("b"), all));
    for (int i : new int[] {0, 1, 3}) {
      Decision decision = decided(answers.get(i));
      assertThat(decision).isInstanceOf(Allowed.class);
      assertThat(decision.limits()).hasSize(500).allMatch(limit -> limit.remaining() >= 7);
    }
  }

  @Test
  void bucketsThatComeAndGoDoNotPileUpInAState() {
    for (int i = 0; i < 300; i++) {
      Bucket bucket = new Bucket("bucket-" + i, Scope.KEY, 1_000_000, 1000);
      Demand demand = Demand.of(bucket);
      decided(store.tryCharge(new Charge("acme", "k", 1, List.of(demand), 1)));
    }
    assertThat(States.show(commands, "weir:{72nw}:acme:key:k").size()).isLessThan(100);
  }

  @Test
  void unreadableTicketsFailOnlyTheCallerThatNeedsATicket() {
    commands.lpush("weir:{72nw}:acme:key:k:tickets", "a list has no bits");
    Demand fast = Demand.of(new Bucket("fast", Scope.KEY, 10_000, 2000));
    TicketRequest wanted = TicketRequest.wanted(Optional.empty(), "s".repeat(22));
    Charge waiting =
        new Charge("acme", "k", 1, List.of(fast), 10).with(new Queueing(SlotMode.RESERVE, wanted));
    List<CompletionStage<StoreAnswer>> answers =
        together(List.of(waiting, waiting, waiting, charge("b")));
    assertThat(decided(answers.get(0))).isInstanceOf(Allowed.class);
    assertThat(decided(answers.get(1))).isInstanceOf(Allowed.class);
    assertThat(answers.get(2).toCompletableFuture()).failsWithin(Duration.ofSeconds(5));
    assertThat(decided(answers.get(3))).isInstanceOf(Allowed.class);
  }

  @Test
  void olderRevisionsAreStaleAmongNewerOnes() {
    Charge newer = new Charge("acme", "k", 2, TEN, 1);
    List<CompletionStage<StoreAnswer>> answers =
        together(List.of(charge("k"), newer, charge("k"), newer));
    assertThat(decided(answers.get(0))).isInstanceOf(Allowed.class);
    assertThat(decided(answers.get(1))).isInstanceOf(Allowed.class);
    assertThat(answers.get(2).toCompletableFuture().join()).isEqualTo(new StoreAnswer.Stale(2));
    assertThat(decided(answers.get(3)).limits().get(0).remaining()).isEqualTo(7);
  }

  @Test
  void forgottenScriptsChangeNothingInTheOrder() {
    commands.scriptFlush();
    List<CompletionStage<StoreAnswer>> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(store.tryCharge(charge("k")));
    }
    for (int i = 0; i < 10; i++) {
      assertThat(decided(answers.get(i)).limits().get(0).remaining()).isEqualTo(9 - i);
    }
  }

  @Test
  void aClosedConnectionFailsWhatIsAskedAndDoesNotHang() {
    connections.close();
    assertThat(store.tryCharge(charge("k")).toCompletableFuture())
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableOfType(Exception.class)
        .withCauseInstanceOf(StoreUnavailableException.class);
  }

  private List<CompletionStage<StoreAnswer>> together(List<Charge> charges) {
    CompletableFuture<List<CompletionStage<StoreAnswer>>> asked = new CompletableFuture<>();
    connections
        .links()
        .get(0)
        .eventLoop()
        .execute(() -> asked.complete(charges.stream().map(store::tryCharge).toList()));
    return asked.join();
  }

  private long calls() {
    Matcher calls = Pattern.compile("cmdstat_(?:evalsha|fcall):calls=(\\d+)")
        .matcher(commands.info("commandstats"));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  private static Charge charge(String subject) {
    return new Charge("acme", subject, 1, TEN, 1);
  }

  private static Decision decided(CompletionStage<StoreAnswer> answer) {
    return ((Decided) answer.toCompletableFuture().join()).decision();
  }
}
