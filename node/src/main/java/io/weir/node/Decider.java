package io.weir.node;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.weir.decision.Decision;
import io.weir.node.config.NodeConfig.WhenRedisIsAway;
import io.weir.node.metrics.NodeMetrics;
import io.weir.policy.Subject;
import io.weir.throttle.StoreUnavailableException;
import io.weir.throttle.Throttle;
import io.weir.throttle.UnknownSubjectException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the throttle, counts the answer, and says what happens where there is none. */
public final class Decider {
  private static final Logger LOG = LoggerFactory.getLogger(Decider.class);

  private final Throttle throttle;
  private final NodeMetrics metrics;
  private final WhenRedisIsAway whenRedisIsAway;

  public Decider(Throttle throttle, NodeMetrics metrics, WhenRedisIsAway whenRedisIsAway) {
    this.throttle = throttle;
    this.metrics = metrics;
    this.whenRedisIsAway = whenRedisIsAway;
  }

  /**
   * Takes {@code cost} operations for the subject, or none.
   *
   * @param context where the future completes
   * @return completes with the decision; fails with {@link StoreUnavailableException} or {@link
   *     UnknownSubjectException}
   */
  public Future<Decision> decide(Context context, Subject subject, String operation, long cost) {
    return Future.fromCompletionStage(throttle.tryTake(subject.id(), operation, cost), context)
        .onSuccess(decision -> metrics.decided(subject.plan(), operation, decision))
        .recover(error -> {
          metrics.undecided(subject.plan(), operation);
          return Future.failedFuture(unwrapped(error));
        });
  }

  /** Whether a request passes for which there is no decision, because of this error. */
  public boolean passes(Throwable error) {
    if (!(error instanceof StoreUnavailableException)) {
      return false;
    }
    boolean passes = whenRedisIsAway == WhenRedisIsAway.ALLOW;
    LOG.warn("undecided request is {}: {}", passes ? "allowed" : "denied", error.getMessage());
    return passes;
  }

  private static Throwable unwrapped(Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }
}
