package io.weir.node.admission;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.Hold;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.JointThrottle.Part;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.Throttle;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admission.Witness.Question;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the throttle, counts its decision, and handles outages. */
public final class Decider {
  private static final Logger LOG = LoggerFactory.getLogger(Decider.class);

  private final Throttle throttle;
  private final JointThrottle joint;
  private final NodeMetrics metrics;
  private final Tracing tracing;
  private final Witness witness;
  private final AtomicBoolean isUndecided = new AtomicBoolean();

  /**
   * A decider of one node.
   *
   * @param joint decides on requests that take from limits of several subjects
   * @param witness sees the decisions
   */
  public Decider(
      Throttle throttle,
      JointThrottle joint,
      NodeMetrics metrics,
      Tracing tracing,
      Witness witness) {
    this.throttle = throttle;
    this.joint = joint;
    this.metrics = metrics;
    this.tracing = tracing;
    this.witness = witness;
  }

  /**
   * Takes the whole cost, or nothing, for a caller that is answered at once.
   *
   * @param context where the future completes
   * @param ticket the ticket that the caller shows or asks for
   * @return completes with the decision; fails with {@link StoreUnavailableException} or {@link
   *     UnknownSubjectException}
   */
  public Future<Decision> decide(Context context, Question question, TicketRequest ticket) {
    return decide(context, question, ticket, limited -> Optional.empty());
  }

  /**
   * The same for a request that may hold permits or a reservation.
   *
   * @param holds maps the limit to the hold of the request
   */
  public Future<Decision> decide(
      Context context,
      Question question,
      TicketRequest ticket,
      Function<Limited, Optional<Hold>> holds) {
    return consider(context, question, ticket, holds).map(decision -> answered(question, decision));
  }

  /** The same for a request that may wait: its decision is passed to {@link #answered} if it does not. */
  Future<Decision> consider(
      Context context,
      Question question,
      TicketRequest ticket,
      Function<Limited, Optional<Hold>> holds) {
    Promise<Decision> done = Promise.promise();
    ContextInternal here = ofRequest((ContextInternal) context);
    tracing
        .record(
            "throttle decide",
            () -> throttle.tryTake(
                question.subject(),
                question.operation(),
                new Cost(question.cost(), question.atLeast()),
                ticket,
                holds),
            (decision, attributes) -> DecisionAttributes.describe(question, decision, attributes))
        .whenComplete((decision, error) -> here.emit(decision, decided -> {
          if (decided != null) {
            decided(question, decided);
            done.succeed(decided);
          } else {
            Throwable cause = Failures.cause(requireNonNull(error));
            undecided(question, cause);
            done.fail(cause);
          }
        }));
    return done.future();
  }

  /**
   * Takes the cost of all questions, or of none, see {@link JointThrottle#tryTake}. Admissions are counted if all are
   * admitted.
   *
   * @return completes with a decision for each question, in order
   */
  public Future<List<Decision>> decideAsOne(
      Context context, List<Question> questions, TicketRequest ticket) {
    List<Part> parts = questions.stream()
        .map(question -> new Part(question.subject(), question.operation(), question.cost()))
        .toList();
    Promise<List<Decision>> done = Promise.promise();
    ContextInternal here = ofRequest((ContextInternal) context);
    joint
        .tryTake(parts, ticket)
        .whenComplete((decisions, error) -> here.emit(decisions, decided -> {
          if (decided != null) {
            done.succeed(answered(questions, decided));
          } else {
            Throwable cause = Failures.cause(requireNonNull(error));
            questions.forEach(question -> undecided(question, cause));
            done.fail(cause);
          }
        }));
    return done.future();
  }

  private List<Decision> answered(List<Question> questions, List<Decision> decisions) {
    boolean isAdmitted = decisions.stream().allMatch(Allowed.class::isInstance);
    List<Decision> answers = new ArrayList<>(decisions.size());
    for (int i = 0; i < decisions.size(); i++) {
      Decision decision = decisions.get(i);
      if (isAdmitted || !(decision instanceof Allowed)) {
        decided(questions.get(i), decision);
        decision = answered(questions.get(i), decision);
      }
      answers.add(decision);
    }
    return answers;
  }

  // The context of the request that is served here, so that its trace is known afterwards.
  private static ContextInternal ofRequest(ContextInternal loop) {
    ContextInternal here = ContextInternal.current();
    return here != null && here.isDuplicate() && here.unwrap() == loop.unwrap() ? here : loop;
  }

  /** The refusal of a newcomer that is known already, see {@link Throttle#foreseen}; it is not counted. */
  Optional<Decision> foreseen(Question question) {
    return throttle.foreseen(question.subject(), question.operation(), question.cost());
  }

  /** A refusal that was foreseen, or seen by a look, as it is answered; it is counted. */
  public Decision refused(Question question, Decision foreseen) {
    decided(question, foreseen);
    return answered(question, foreseen);
  }

  /** The decision that a newcomer would get; takes nothing, and is not counted. It fails as {@link #decide} does. */
  public Future<Decision> peek(Context context, Subject subject, String operation, long cost) {
    return Future.fromCompletionStage(throttle.peek(subject, operation, cost), context)
        .recover(error -> Future.failedFuture(Failures.cause(error)));
  }

  // A failure to count or to remember must not withhold the answer.
  private void decided(Question question, Decision decision) {
    try {
      metrics.decided(question.subject().plan(), question.operation(), decision);
      boolean isOfStore = !decision.limits().isEmpty() && !decision.degraded();
      if (isOfStore && isUndecided.get() && isUndecided.compareAndSet(true, false)) {
        LOG.info("requests are decided again");
      }
    } catch (RuntimeException e) {
      LOG.warn("a decision could not be counted", e);
    }
  }

  /** The decision as it is answered: it may be remembered for operators, and has an id then. */
  Decision answered(Question question, Decision decision) {
    try {
      return witness.answered(question, decision);
    } catch (RuntimeException e) {
      LOG.warn("a decision could not be remembered", e);
      return decision;
    }
  }

  // Logged once per outage; the metrics count the requests.
  private void undecided(Question question, Throwable error) {
    try {
      boolean isAway = error instanceof StoreUnavailableException;
      metrics.undecided(question.subject().plan(), question.operation(), isAway);
      witness.undecided(question, error);
    } catch (RuntimeException e) {
      LOG.warn("a request without a decision could not be counted", e);
    }
    if (error instanceof StoreUnavailableException unavailable
        && isUndecided.compareAndSet(false, true)) {
      LOG.warn(
          "requests are undecided and denied, until Redis answers ({}): {}",
          unavailable.fault(),
          error.getMessage());
    }
  }
}
