package io.weir.state.redis;

import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Buckets in Redis, one round trip a decision at most: charges that come while calls are in flight share the
 * next one, and what is sure to be denied is denied without asking. Safe for use by many threads; what is asked on an
 * event loop with a connection is sent and answered there. The connections belong to whoever opened them, and their
 * command timeout bounds every answer.
 *
 * <p>A script that Redis has forgotten is sent again with the same charges. Nothing else is tried twice: a
 * charge whose answer was lost may have been taken.
 */
public final class RedisBucketStore implements BucketStore {
  private static final long REDIS_TIME = -1;
  private static final int CALLS = 4;
  private static final int PEEKS = 256;

  private final List<GroupCommit> charges;
  private final List<GroupCommit> peeks;
  private final KnownDenials denials;
  private final boolean isLive;
  private final LongSupplier clock;

  private RedisBucketStore(
      RedisConnections redis,
      Map<String, String> includes,
      LongSupplier clock,
      LongSupplier nanoTime) {
    boolean isRehearsal = !includes.isEmpty();
    this.denials = new KnownDenials(nanoTime);
    this.isLive = !isRehearsal;
    LuaScript charge = LuaScript.load("charge", includes);
    LuaScript peek = LuaScript.load("peek", includes);
    AnswerReader reader = new AnswerReader(denials);
    Duration timeout = redis.commandTimeout();
    this.charges = redis.links().stream()
        .map(link ->
            new GroupCommit(link, timeout, charge, reader, isRehearsal, Batch.MAX_ENTRIES, CALLS))
        .toList();
    this.peeks = redis.links().stream()
        .map(link -> new GroupCommit(link, timeout, peek, reader, isRehearsal, 1, PEEKS))
        .toList();
    this.clock = clock;
  }

  /** A store on Redis's own time. */
  public static RedisBucketStore of(RedisConnections redis) {
    return new RedisBucketStore(redis, Map.of(), () -> REDIS_TIME, System::nanoTime);
  }

  /**
   * A store on another time, to rehearse what was recorded or imagined. Never for live traffic: its time
   * must not be mixed with Redis's own in the same keys.
   *
   * @param clockMicros microseconds since the epoch, later than the present: keys expire by Redis's time
   */
  public static RedisBucketStore rehearsing(RedisConnections redis, LongSupplier clockMicros) {
    return new RedisBucketStore(
        redis, Map.of("now", "now_argument"), clockMicros, System::nanoTime);
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    if (isLive && KnownDenials.concern(charge)) {
      StoreAnswer known = denials.answer(charge);
      if (known != null) {
        return CompletableFuture.completedFuture(known);
      }
    }
    Question question = new Question(charge, clock.getAsLong(), denials.now());
    nearest(charges).ask(question);
    return question;
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    Question question = new Question(charge, clock.getAsLong(), denials.now());
    nearest(peeks).ask(question);
    return question;
  }

  // On the event loop of the one who asks, where there is a connection.
  private static GroupCommit nearest(List<GroupCommit> all) {
    for (int i = 1; i < all.size(); i++) {
      if (all.get(i).isHere()) {
        return all.get(i);
      }
    }
    return all.get(0);
  }
}
