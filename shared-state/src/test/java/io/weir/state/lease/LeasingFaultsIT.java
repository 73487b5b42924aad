package io.weir.state.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.degraded.Outages;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The pool of a leased bucket is away, and the part of the shared state with the other buckets is not. */
final class LeasingFaultsIT {
  // Clocks do not advance by themselves: nothing drains. A node gives one operation of a bucket
  // whose level it does not know.
  private static final Bucket POOL =
      new Bucket("pool", Scope.CLUSTER, Rate.ofMilliOpsPerSec(1000), 100_000, true);
  private static final Demand LEASED = Demand.of(POOL);
  private static final Demand OWN = Demand.of(new Bucket("own", Scope.KEY, 1000, 100_000));
  private static final int CALLS_OF_A_BREAKER = 100;

  private final InMemoryBucketStore memory = new InMemoryBucketStore(() -> 1_000_000);
  private LongSupplier nanoClock = () -> 1_000_000_000;
  private @Nullable StoreAnswer answerOfOwn;
  private RedisProcess redis;
  private FaultProxy network;
  private RedisConnections connections;
  private Outages outages;
  private BucketStore store;

  /** The kind of outage of the pool. */
  enum Fault {
    /** The pool is unreachable, and this node has not noticed. */
    GONE,
    /** The pool does not answer in time, and this node has not noticed. */
    SILENT,
    /** This node knows that the pool is away. */
    KNOWN
  }

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    network = FaultProxy.before(redis.port());
    connections = RedisConnections.open(network.redisUri(), Duration.ofMillis(300));
    outages = new Outages(1, part -> new CompletableFuture<>());
    Leases leases = new Leases(
        new RedisLeases(connections), "node", outages, () -> 1, () -> nanoClock.getAsLong());
    store = new LeasingStore(own(), leases, outages, () -> 1, () -> nanoClock.getAsLong(), true);
  }

  @AfterEach
  void stop() {
    outages.close();
    connections.close();
    network.close();
    redis.close();
  }

  private BucketStore own() {
    return new BucketStore() {
      @Override
      public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
        return answerOfOwn == null
            ? memory.tryCharge(charge)
            : CompletableFuture.completedFuture(answerOfOwn);
      }

      @Override
      public CompletionStage<StoreAnswer> peek(Charge charge) {
        return memory.peek(charge);
      }
    };
  }

  private void happens(Fault fault) {
    switch (fault) {
      case GONE -> network.refuse(true);
      case SILENT -> network.stall(true);
      case KNOWN -> {
        for (int i = 0; i < CALLS_OF_A_BREAKER; i++) {
          outages.observer(0).ended(false);
        }
        assertThat(outages.isAway(0)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBucketPaysNothingWhereTheLeasedOneDenies(Fault fault) {
    happens(fault);
    assertThat(decide("k", 60, OWN, LEASED)).isInstanceOf(Denied.class);
    assertThat(decide("k", 60, LEASED, OWN)).isInstanceOf(Denied.class);
    assertThat(decide("k", 100, OWN)).isInstanceOf(Allowed.class);
  }

  @ParameterizedTest
  @EnumSource
  void theLeasedBucketPaysNothingWhereAnotherOneDenies(Fault fault) {
    assertThat(decide("full", 100, OWN)).isInstanceOf(Allowed.class);
    happens(fault);
    for (int i = 0; i < 3; i++) {
      assertThat(decide("full", 1, OWN, LEASED)).isInstanceOf(Denied.class);
    }
    assertThat(decide("k", 1, OWN, LEASED)).isInstanceOf(Allowed.class);
    assertThat(decide("k", 1, OWN, LEASED)).isInstanceOf(Denied.class);
    assertThat(decide("k", 99, OWN)).isInstanceOf(Allowed.class);
  }

  @ParameterizedTest
  @EnumSource
  void theLeasedBucketPaysNothingWhereThePolicyWasAnOlderOne(Fault fault) {
    happens(fault);
    answerOfOwn = new StoreAnswer.Stale(2);
    for (int i = 0; i < 3; i++) {
      assertThat(ask(charge("k", 1, Extras.NONE, OWN, LEASED))).isEqualTo(answerOfOwn);
    }
    answerOfOwn = null;
    assertThat(decide("k", 1, OWN, LEASED)).isInstanceOf(Allowed.class);
  }

  @Test
  void nothingIsTakenAtOnceInAnOutage() {
    Charge charge = charge("k", 1, Extras.NONE, LEASED);
    ask(charge("k", 2, Extras.NONE, LEASED));
    happens(Fault.KNOWN);
    assertThat(store.tryAtOnce(charge)).isNull();
    assertThat(((Decided) ask(charge)).decision().degraded()).isTrue();
    assertThat(store.tryAtOnce(charge)).isNull();
  }

  @Test
  void aLookTakesNothing() {
    happens(Fault.KNOWN);
    for (int i = 0; i < 3; i++) {
      store.peek(charge("k", 1, Extras.NONE, LEASED)).toCompletableFuture().join();
    }
    assertThat(decide("k", 1, LEASED)).isInstanceOf(Allowed.class);
  }

  @Test
  void theSameReservationPaysOnceOfALeasedBucket() {
    nanoClock = System::nanoTime; // leases also end by Redis's clock
    Extras same = new Extras(List.of(), Optional.of(new Hold("h", "Ask:60:-", 1000, true, true)));
    for (int i = 0; i < 2; i++) {
      StoreAnswer answer = ask(charge("k", 60, same, OWN, LEASED));
      assertThat(((Decided) answer).decision()).isInstanceOf(Allowed.class);
    }
    // Units given back are reported a moment later. Paid twice, they would take 20 s to drain.
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> decide("other", 40, LEASED) instanceof Allowed);
  }

  @Test
  void aReservationThatIsRecordedIsNotSaidToBeUnrecorded() {
    happens(Fault.KNOWN);
    Extras held = new Extras(List.of(), Optional.of(new Hold("h", "Ask:1:-", 1000, true, true)));
    Decision decision = ((Decided) ask(charge("k", 1, held, OWN, LEASED))).decision();
    assertThat(decision).isInstanceOf(Allowed.class);
    assertThat(decision.degraded()).isFalse();
  }

  private Decision decide(String subject, long cost, Demand... demands) {
    return ((Decided) ask(charge(subject, cost, Extras.NONE, demands))).decision();
  }

  private StoreAnswer ask(Charge charge) {
    return store.tryCharge(charge).toCompletableFuture().join();
  }

  private static Charge charge(String subject, long cost, Extras extras, Demand... demands) {
    return new Charge(
        "acme",
        subject,
        1,
        new Amount(List.of(demands), cost, extras),
        Queueing.NONE,
        FailureMode.LOCAL);
  }
}
