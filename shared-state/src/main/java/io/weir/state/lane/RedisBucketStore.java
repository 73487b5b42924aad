package io.weir.state.lane;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.JointStore;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.MemoryWatch;
import io.weir.state.connection.RedisConnections;
import io.weir.state.denial.DenialCache;
import io.weir.state.wire.PendingCharge;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Buckets in Redis, one round trip a decision: charges that arrive while calls are in flight share the next one, and
 * certain denials are answered without asking. A call carries fewer charges of owners that wait, so that they never
 * delay the others. Safe for use by many threads; charges asked on an event loop with a connection are sent and answered there. The connections belong to the
 * code that opened them; an answer takes at most twice their command timeout, once to be sent and once to be answered.
 *
 * <p>After Redis has used three quarters of its memory, no places are made: callers get estimates, existing
 * places are kept, and callers that need no place are not affected.
 *
 * <p>A script that Redis has forgotten is sent again with the same charges. Nothing else is tried twice: a charge whose
 * answer was lost may have been taken.
 */
public final class RedisBucketStore implements BucketStore, JointStore {
  private static final long REDIS_TIME = -1;

  private final RedisConnections redis;
  /** By connection and part. */
  private final List<List<Lanes>> lanes;

  private final DenialCache denials;
  private final boolean isLive;
  private final LongSupplier clock;
  private final MemoryWatch memory;

  private RedisBucketStore(
      RedisConnections redis,
      Map<String, String> includes,
      LongSupplier clock,
      BooleanSupplier isPolicyChanging,
      IntFunction<CallObserver> observers,
      LongSupplier nanoTime) {
    this.redis = redis;
    this.denials = new DenialCache(nanoTime, isPolicyChanging, redis.returns());
    this.isLive = includes.isEmpty();
    LaneSet lanesOfPart = LaneSet.of(includes);
    this.lanes = redis.links().stream()
        .map(link -> {
          Templates templates = new Templates();
          return IntStream.range(0, redis.parts())
              .mapToObj(part -> new PartLink(
                  link,
                  redis.commandTimeout(),
                  redis.policyOf(part),
                  templates,
                  observers.apply(part)))
              .map(part -> new Lanes(part, lanesOfPart, denials))
              .toList();
        })
        .toList();
    this.clock = clock;
    this.memory = redis.memory();
  }

  /**
   * A store on Redis's own time.
   *
   * @param isPolicyChanging whether a policy newer than that of the charges may be in force at any moment: then every
   *     charge is sent to Redis
   */
  public static RedisBucketStore of(RedisConnections redis, BooleanSupplier isPolicyChanging) {
    return of(redis, isPolicyChanging, part -> CallObserver.NONE);
  }

  /**
   * The same.
   *
   * @param observers by part of the shared state: each observes the ends of its calls
   */
  public static RedisBucketStore of(
      RedisConnections redis,
      BooleanSupplier isPolicyChanging,
      IntFunction<CallObserver> observers) {
    return of(redis, isPolicyChanging, observers, System::nanoTime);
  }

  /** The same with another clock of this process, for tests: it must be monotonic, and never behind. */
  public static RedisBucketStore of(
      RedisConnections redis,
      BooleanSupplier isPolicyChanging,
      IntFunction<CallObserver> observers,
      LongSupplier nanoTime) {
    return new RedisBucketStore(
        redis, Map.of(), () -> REDIS_TIME, isPolicyChanging, observers, nanoTime);
  }

  /**
   * A store on another time, to rehearse recorded or imagined traffic. Never for live traffic: its time must not be
   * mixed with Redis's own in the same keys.
   *
   * @param clockMicros microseconds since the epoch, later than the present: keys expire by Redis's time
   */
  public static RedisBucketStore rehearsing(RedisConnections redis, LongSupplier clockMicros) {
    return rehearsing(redis, clockMicros, Map.of("now", "now_argument"));
  }

  /** The same with these modules replaced, one of them the clock. */
  static RedisBucketStore rehearsing(
      RedisConnections redis, LongSupplier clockMicros, Map<String, String> replacements) {
    return new RedisBucketStore(
        redis, replacements, clockMicros, () -> false, part -> CallObserver.NONE, System::nanoTime);
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge asked) {
    if (needsOneRedis(asked)) {
      return CompletableFuture.failedFuture(onCluster());
    }
    Charge charge = memory.isShort() ? asked.with(asked.queueing().withoutNewPlaces()) : asked;
    if (isLive) {
      StoreAnswer known = denials.answer(charge.atLeast());
      if (known != null) {
        return CompletableFuture.completedFuture(known);
      }
    }
    PendingCharge pending = new PendingCharge(charge, clock.getAsLong(), denials.now());
    nearest(charge).charge(pending);
    return pending;
  }

  private static StoreUnavailableException onCluster() {
    return new StoreUnavailableException(
        StoreFault.MISCONFIGURED,
        "quotas, permits and congestion of scope cluster need one Redis (this is a Redis Cluster)",
        null);
  }

  // Buckets of scope {@code cluster} belong to no partition.
  private boolean needsOneRedis(Charge charge) {
    return redis.parts() > 1
        && charge.extras().demands().stream().anyMatch(demand -> demand.scope() == Scope.CLUSTER);
  }

  @Override
  public CompletionStage<List<StoreAnswer>> tryAll(JointCharge joint) {
    List<Charge> charges = memory.isShort()
        ? joint.charges().stream()
            .map(charge -> charge.with(charge.queueing().withoutNewPlaces()))
            .toList()
        : joint.charges();
    List<PendingCharge> all = PendingCharge.joined(charges, clock.getAsLong(), denials.now());
    nearest(charges.get(0)).join(all.get(0));
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    if (needsOneRedis(charge)) {
      return CompletableFuture.failedFuture(onCluster());
    }
    PendingCharge pending = new PendingCharge(charge, clock.getAsLong(), denials.now());
    nearest(charge).peek(pending);
    return pending;
  }

  @Override
  public Optional<Decision> foreseen(Charge charge) {
    return isLive ? denials.foreseen(charge) : Optional.empty();
  }

  // Prefers the caller's event loop, if it has a connection.
  private Lanes nearest(Charge charge) {
    int part = redis.partOf(charge.tenant());
    for (int i = 1; i < lanes.size(); i++) {
      Lanes here = lanes.get(i).get(part);
      if (here.isHere()) {
        return here;
      }
    }
    return lanes.get(0).get(part);
  }
}
