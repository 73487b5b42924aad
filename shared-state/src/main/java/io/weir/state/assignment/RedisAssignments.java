package io.weir.state.assignment;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.UsageReport;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.Statuses.Assign;
import io.weir.state.wire.StoreClock;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The divided limits, in Redis. Safe for use by many threads; never blocks. */
public final class RedisAssignments {
  private final RedisConnections redis;
  private final RedisLibrary limiter;

  /** @param redis the connections to the limits */
  public RedisAssignments(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisAssignments(RedisConnections redis, StoreClock clock) {
    this.redis = redis;
    this.limiter = RedisLibrary.limiter(redis, clock);
  }

  /** The number of parts that may be away separately. */
  public int parts() {
    return redis.parts();
  }

  /** The part, of {@link #parts}, with the limits of a tenant. */
  public int partOf(String tenant) {
    return redis.partOf(tenant);
  }

  /**
   * Sends a report of a client; failures are {@link io.weir.core.throttle.StoreUnavailableException}.
   *
   * @param subject the owner of the limit
   */
  public CompletionStage<Assignment> report(
      String tenant, String subject, DividedLimit limit, UsageReport report) {
    List<String> arguments = List.of(
        report.client(),
        Long.toString(report.record()),
        Long.toString(report.arrived()),
        Long.toString(report.ageMicros()),
        Long.toString(report.used()),
        Long.toString(limit.micros()),
        Long.toString(limit.leastBurst()));
    List<String> keys = List.of(RedisKeys.divided(tenant, subject, limit));
    return limiter.run("assign", keys, arguments).thenApply(RedisAssignments::answer);
  }

  private static Assignment answer(List<Object> numbers) {
    return new Assignment(
        (Long) numbers.get(1),
        (Long) numbers.get(2),
        (Long) numbers.get(3),
        (Long) numbers.get(4),
        Statuses.of(Assign.class, numbers.get(0)) == Assign.ABANDONED);
  }
}
