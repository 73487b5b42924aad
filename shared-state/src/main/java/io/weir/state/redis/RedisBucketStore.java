package io.weir.state.redis;

import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Buckets in Redis, one round trip a decision at most: charges that come while calls are in flight share the
 * next one, and what is sure to be denied is denied without asking. Safe for use by many threads; the connection belongs to whoever opened it, and its command
 * timeout bounds every answer.
 *
 * <p>A script that Redis has forgotten is sent again with the same charges. Nothing else is tried twice: a
 * charge whose answer was lost may have been taken.
 */
public final class RedisBucketStore implements BucketStore {
  private static final long REDIS_TIME = -1;
  private static final int CALLS = 4;
  private static final int PEEKS = 256;

  private final GroupCommit charges;
  private final GroupCommit peeks;
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
    this.charges = new GroupCommit(redis, charge, reader, isRehearsal, Batch.MAX_ENTRIES, CALLS);
    this.peeks = new GroupCommit(redis, peek, reader, isRehearsal, 1, PEEKS);
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
    charges.ask(question);
    return question;
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    Question question = new Question(charge, clock.getAsLong(), denials.now());
    peeks.ask(question);
    return question;
  }
}
