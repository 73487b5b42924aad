package io.weir.node.admission;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Completable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.weir.decision.Decision;
import io.weir.node.config.NodeConfig.FailureMode;
import io.weir.node.metrics.NodeMetrics;
import io.weir.policy.Subject;
import io.weir.slot.TicketRequest;
import io.weir.throttle.StoreUnavailableException;
import io.weir.throttle.Throttle;
import io.weir.throttle.UnknownSubjectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the throttle, counts the answer, and says what happens where there is none. */
public final class Decider {
  private static final Logger LOG = LoggerFactory.getLogger(Decider.class);

  private final Throttle throttle;
  private final NodeMetrics metrics;
  private final FailureMode failureMode;
  private final AtomicBoolean away = new AtomicBoolean();

  public Decider(Throttle throttle, NodeMetrics metrics, FailureMode failureMode) {
    this.throttle = throttle;
    this.metrics = metrics;
    this.failureMode = failureMode;
  }

  /**
   * Takes {@code cost} operations for the subject, or none.
   *
   * @param ticket what the caller shows and wants
   * @param context where the future completes
   * @return completes with the decision; fails with {@link StoreUnavailableException} or {@link
   *     UnknownSubjectException}
   */
  public Future<Decision> decide(
      Context context, Subject subject, String operation, long cost, TicketRequest ticket) {
    Promise<Decision> decided = Promise.promise();
    decide(context, subject, operation, cost, ticket, decided);
    return decided.future();
  }

  /** The same, and tells {@code done} of the decision or of what it fails with. */
  public void decide(
      Context context,
      Subject subject,
      String operation,
      long cost,
      TicketRequest ticket,
      Completable<Decision> done) {
    throttle
        .tryTake(subject.id(), operation, cost, ticket)
        .whenComplete((decision, error) -> ((ContextInternal) context).emit(decision, decided -> {
          // Whatever happens to the count of it, the caller is answered.
          if (decided != null) {
            try {
              decided(subject, operation, decided);
            } finally {
              done.succeed(decided);
            }
          } else {
            Throwable cause = unwrapped(requireNonNull(error));
            try {
              undecided(subject, operation, cause);
            } finally {
              done.fail(cause);
            }
          }
        }));
  }

  /** Whether a request passes for which there is no decision, because of this error. */
  public boolean passes(Throwable error) {
    if (!(error instanceof StoreUnavailableException)) {
      return false;
    }
    return failureMode == FailureMode.ALLOW;
  }

  private void decided(Subject subject, String operation, Decision decision) {
    metrics.decided(subject.plan(), operation, decision);
    boolean fromStore = !decision.limits().isEmpty();
    if (fromStore && away.get() && away.compareAndSet(true, false)) {
      LOG.info("the shared state answers again");
    }
  }

  // Loud once, not once a request: the metrics count them.
  private void undecided(Subject subject, String operation, Throwable error) {
    metrics.undecided(subject.plan(), operation);
    if (error instanceof StoreUnavailableException && away.compareAndSet(false, true)) {
      String fate = failureMode == FailureMode.ALLOW ? "allowed" : "denied";
      LOG.warn(
          "requests are undecided and {}, until the shared state answers: {}",
          fate,
          error.getMessage());
    }
  }

  private static Throwable unwrapped(Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }
}
