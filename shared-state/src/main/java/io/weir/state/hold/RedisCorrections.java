package io.weir.state.hold;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.lane.RedisClock;
import io.weir.state.wire.OthersTemplate;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Refunds and debts of operations that nothing has reserved, in Redis. Safe for use by many threads; never blocks.
 *
 * <p>A reservation says what it has taken and when, and its end gives back no more than is left of that
 * ({@link RedisHolds}). Here nothing says so: a refund gives back as much as is in use, whoever has used it, and a limit
 * admits as much more as is refunded. Other nodes that remember a denial notice it within a second.
 */
public final class RedisCorrections {
  // The largest cost that a script accepts.
  private static final long MOST_OWED = (1L << 53) - 1;

  private final RedisConnections redis;
  private final RedisLibrary limiter;
  /** By part of the shared state; empty with a clock other than Redis's. */
  private final List<RedisClock> clocks;

  /** @param redis the connections to the limits */
  public RedisCorrections(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisCorrections(RedisConnections redis, StoreClock clock) {
    this.redis = redis;
    this.limiter = RedisLibrary.limiter(redis, clock);
    this.clocks = clock.modules().isEmpty()
        ? Stream.generate(() -> new RedisClock(redis.commandTimeout().toNanos()))
            .limit(redis.parts())
            .toList()
        : List.of();
  }

  /**
   * Gives back operations of a subject; failures are {@link io.weir.core.throttle.StoreUnavailableException}. What Redis
   * gets after the timeout of this call is not given back.
   *
   * @param limit rates and quotas of the subject alone
   * @param operations above 0; what is more than is in use is ignored
   * @return for each rate, then for each quota, the units or operations that were given back
   */
  public CompletionStage<List<Long>> refund(
      String tenant, String subject, Limited limit, long operations) {
    String quotas = limit.others().stream().map(KindDemand::name).collect(Collectors.joining(" "));
    return run("refund", tenant, subject, limit, operations, quotas).thenApply(given -> {
      redis.returns().refunded(tenant, subject);
      return given;
    });
  }

  /**
   * Takes operations of a subject that are over already, beyond its limits if need be: what is above a limit is owed, and
   * later requests wait until it has drained, or for the next period of a quota. Failures and the timeout are those of
   * {@link #refund}.
   *
   * @param limit rates and quotas of the subject alone
   * @param operations above 0
   */
  public CompletionStage<?> owe(String tenant, String subject, Limited limit, long operations) {
    long counted = Math.min(operations, MOST_OWED);
    byte[] quotas = new OthersTemplate(limit.others(), aboutNow(tenant)).text();
    return run("owe", tenant, subject, limit, counted, new String(quotas, US_ASCII));
  }

  // The periods of calendars are sent for about this instant.
  private long aboutNow(String tenant) {
    List<String> given = limiter.clock().arguments().get();
    if (!given.isEmpty()) {
      return Long.parseLong(given.get(0));
    }
    long known = clocks.get(redis.partOf(tenant)).micros();
    return known > 0 ? known : TimeUnit.MILLISECONDS.toMicros(Clock.systemUTC().millis());
  }

  private CompletionStage<List<Long>> run(
      String command,
      String tenant,
      String subject,
      Limited limit,
      long operations,
      String quotas) {
    requireOwn(limit, operations);
    Optional<RedisClock> ofPart =
        clocks.isEmpty() ? Optional.empty() : Optional.of(clocks.get(redis.partOf(tenant)));
    long sent = System.nanoTime();
    String key = RedisKeys.key(tenant, subject);
    List<String> arguments = List.of(
        Long.toString(ofPart.map(known -> known.notAfter(sent)).orElse(0L)),
        Long.toString(operations),
        limit.demands().stream().map(RedisCorrections::text).collect(Collectors.joining(";")),
        quotas);
    return limiter
        .run(command, List.of(key, RedisKeys.counters(key)), arguments)
        .thenApply(answer -> {
          ofPart.ifPresent(known -> known.learn((Long) answer.get(0), sent));
          // After a step of Redis's clock the call may still be waited for.
          if (answer.size() == 1) {
            throw new StoreUnavailableException(
                StoreFault.SLOW, "Redis got it too late: nothing was changed", null);
          }
          return answer.stream().skip(1).map(Long.class::cast).toList();
        });
  }

  private static void requireOwn(Limited limit, long operations) {
    if (operations <= 0) {
      throw new IllegalArgumentException(
          "operations: %d (expected: above 0)".formatted(operations));
    }
    boolean areOfKey = limit.demands().stream().allMatch(RedisCorrections::isOfKey)
        && limit.others().stream().allMatch(RedisCorrections::isOfKey);
    if (!areOfKey) {
      throw new IllegalArgumentException(
          "limit: %s (expected: rates and quotas of the key that count operations)"
              .formatted(limit));
    }
  }

  private static boolean isOfKey(Demand demand) {
    return demand.bucket().scope() == Scope.KEY && !demand.perRequest() && !demand.overflow();
  }

  private static boolean isOfKey(KindDemand demand) {
    return demand instanceof Quota quota
        && quota.scope() == Scope.KEY
        && !quota.countsRequests()
        && !quota.overflow();
  }

  private static String text(Demand demand) {
    return "%s@%s %d %d"
        .formatted(
            demand.bucket().name(),
            demand.bucket().rate(),
            demand.bucket().capacityUnits(),
            demand.unitsPerOperation());
  }
}
