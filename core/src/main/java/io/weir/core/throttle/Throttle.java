package io.weir.core.throttle;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides on requests: finds the limits of a subject's operation in the policy and asks the store, one round trip a
 * decision. Safe for use by many threads.
 *
 * <p>A limit never follows a policy older than one that has decided before: a stale answer reloads the policy and asks
 * again. Decisions without a bucket (unlimited, frozen, not configured), and the operation and cost given by the
 * caller, follow the newest policy that this node knows, which may be slightly old while Redis is reachable.
 */
public final class Throttle {

  // Each stale answer needs another publication during one reload; three in a row are no
  // coincidence.
  static final int MAX_RELOADS = 3;

  private final BucketStore store;
  private final PolicySource policies;
  private volatile KnownCharges known;

  public Throttle(BucketStore store, PolicySource policies) {
    this.store = store;
    this.policies = policies;
    this.known = new KnownCharges(policies.current());
  }

  /**
   * Takes {@code cost} operations for the subject, or none.
   *
   * @param subjectId the id of an API key that is in the policy
   * @param operation the operation's name, known to the policy or not
   * @param cost in operations, above 0
   * @return completes with the decision; exceptionally with {@link UnknownSubjectException} if the policy in force has
   *     no such subject, {@link HoldNeededException} if the operation takes permits, or {@link
   *     StoreUnavailableException}
   */
  public CompletionStage<Decision> tryTake(String subjectId, String operation, long cost) {
    return tryTake(subjectId, operation, cost, TicketRequest.NONE);
  }

  /**
   * The same for a caller that shows or wants a ticket.
   *
   * @param ticket the shown or wanted ticket; its id is used once
   */
  public CompletionStage<Decision> tryTake(
      String subjectId, String operation, long cost, TicketRequest ticket) {
    Allowed atOnce = tryAtOnce(subjectId, operation, cost);
    return atOnce != null
        ? CompletableFuture.completedFuture(atOnce)
        : tryTake(subjectId, operation, Cost.of(cost), ticket, Throttle::noHold);
  }

  private @Nullable Allowed tryAtOnce(String subjectId, String operation, long cost) {
    Charge charge = known(policies.current()).find(subjectId, operation, cost);
    return charge == null ? null : store.tryAtOnce(charge);
  }

  private KnownCharges known(PolicyRevision policy) {
    KnownCharges before = known;
    if (before.areBy(policy)) {
      return before;
    }
    KnownCharges none = new KnownCharges(policy);
    known = none;
    return none;
  }

  /**
   * The same for a request that may accept less than its cost, and may hold permits or a reservation until it ends.
   *
   * @param holds maps the limit to the hold of the request; called again if the policy has changed meanwhile
   */
  public CompletionStage<Decision> tryTake(
      String subjectId,
      String operation,
      Cost cost,
      TicketRequest ticket,
      Function<Limited, Optional<Hold>> holds) {
    return tryTake(Caller.listed(subjectId), operation, cost, ticket, holds);
  }

  /** The same for a subject that may be defined outside of the policy. */
  public CompletionStage<Decision> tryTake(
      Subject subject,
      String operation,
      Cost cost,
      TicketRequest ticket,
      Function<Limited, Optional<Hold>> holds) {
    return tryTake(Caller.of(subject), operation, cost, ticket, holds);
  }

  private CompletionStage<Decision> tryTake(
      Caller caller,
      String operation,
      Cost cost,
      TicketRequest ticket,
      Function<Limited, Optional<Hold>> holds) {
    return decide(
        new Question(caller, operation, cost, ticket, holds, store::tryCharge),
        policies.current(),
        0);
  }

  /** Answers as {@link #tryTake} would, and takes nothing. */
  public CompletionStage<Decision> peek(String subjectId, String operation, long cost) {
    return peek(Caller.listed(subjectId), operation, cost);
  }

  /** The same for a subject that may be defined outside of the policy. */
  public CompletionStage<Decision> peek(Subject subject, String operation, long cost) {
    return peek(Caller.of(subject), operation, cost);
  }

  /**
   * The refusal of this request and of every larger one, if it is known without asking the store. Takes nothing.
   *
   * @param cost the least that the request can cost
   */
  public Optional<Decision> foreseen(Subject subject, String operation, long cost) {
    PolicyRevision policy = policies.current();
    return subject.in(policy.policy()).flatMap(known -> foreseen(known, policy, operation, cost));
  }

  private Optional<Decision> foreseen(
      Subject subject, PolicyRevision policy, String operation, long cost) {
    OperationLimit limit = subject.plan().limit(operation);
    if (!(limit instanceof Limited limited)) {
      return Optional.of(withoutStore(limit, policy.revision()))
          .filter(NeverAllowed.class::isInstance);
    }
    return limited.needsHold()
        ? Optional.empty()
        : store.foreseen(
            charge(subject, policy, limited, Cost.of(cost), Optional.empty(), TicketRequest.NONE));
  }

  private CompletionStage<Decision> peek(Caller caller, String operation, long cost) {
    return decide(
        new Question(
            caller, operation, Cost.of(cost), TicketRequest.NONE, Throttle::asIfHeld, store::peek),
        policies.current(),
        0);
  }

  private CompletionStage<Decision> decide(Question question, PolicyRevision policy, int reloads) {
    Subject subject = question.caller().source().in(policy.policy()).orElse(null);
    if (subject == null) {
      return CompletableFuture.failedFuture(
          new UnknownSubjectException(question.caller().id()));
    }
    OperationLimit limit = subject.plan().limit(question.operation());
    if (limit instanceof Limited limited) {
      Optional<Hold> hold = question.holds().apply(limited);
      if (hold.isEmpty() && limited.needsHold()) {
        return CompletableFuture.failedFuture(new HoldNeededException(question.operation()));
      }
      Charge charge = charge(subject, policy, limited, question.cost(), hold, question.ticket());
      if (question.caller().source() instanceof SubjectSource.OfPolicy) {
        known(policy).keep(question.operation(), charge);
      }
      return Stages.thenCompose(
          question.ask().apply(charge), answer -> settle(question, answer, reloads));
    }
    Decision decision = withoutStore(limit, policy.revision());
    return CompletableFuture.completedFuture(
        granted(question, decision, question.cost().most()));
  }

  static Charge charge(
      Subject subject,
      PolicyRevision policy,
      Limited limited,
      Cost cost,
      Optional<Hold> hold,
      TicketRequest ticket) {
    Extras extras = limited.others().isEmpty() && hold.isEmpty()
        ? Extras.NONE
        : new Extras(limited.others(), hold);
    return new Charge(
        subject.tenant(),
        subject.id(),
        policy.revision(),
        new Amount(limited.demands(), cost, extras),
        new Queueing(slots(subject, limited), ticket),
        subject.plan().failureMode());
  }

  private static Optional<Hold> noHold(Limited limited) {
    return Optional.empty();
  }

  private static Optional<Hold> asIfHeld(Limited limited) {
    return limited.needsHold() ? Optional.of(new Hold("peek", 1, false, false)) : Optional.empty();
  }

  // A place is made for a fixed cost; if the cost depends on the level of a bucket, the wait is an
  // estimate.
  private static SlotMode slots(Subject subject, Limited limited) {
    SlotMode slots = subject.plan().slots();
    return limited.isPriced() ? slots.withoutNewPlaces() : slots;
  }

  private CompletionStage<Decision> settle(Question question, StoreAnswer answer, int reloads) {
    if (answer instanceof StoreAnswer.Decided decided) {
      return CompletableFuture.completedFuture(
          granted(question, decided.decision(), question.cost().least()));
    }
    if (reloads == MAX_RELOADS) {
      return CompletableFuture.failedFuture(unreached(answer));
    }
    long seen = answer instanceof StoreAnswer.Stale stale ? stale.newestRevision() : 0;
    return policies.reload(seen).thenCompose(newer -> decide(question, newer, reloads + 1));
  }

  // A store that decides on the least alone does not say so.
  private static Decision granted(Question question, Decision decision, long unlessSaid) {
    return question.cost().isPartial()
            && decision instanceof Allowed allowed
            && allowed.remarks().granted().isEmpty()
        ? allowed.withGranted(unlessSaid)
        : decision;
  }

  static StoreUnavailableException unreached(StoreAnswer answer) {
    return new StoreUnavailableException(
        StoreFault.DATA, "the policy in force could not be reached: " + answer, null);
  }

  private static Decision withoutStore(OperationLimit limit, long revision) {
    if (limit instanceof Unlimited) {
      return new Allowed(revision, List.of());
    }
    Reason reason =
        limit instanceof Frozen ? Reason.ACCESS_DISABLED : Reason.OPERATION_NOT_CONFIGURED;
    return new NeverAllowed(revision, List.of(), List.of(), reason);
  }

  private record Caller(SubjectSource source, String id) {
    static Caller listed(String id) {
      return new Caller(new SubjectSource.OfPolicy(id), id);
    }

    static Caller of(Subject subject) {
      return new Caller(subject::in, subject.id());
    }
  }

  private record Question(
      Caller caller,
      String operation,
      Cost cost,
      TicketRequest ticket,
      Function<Limited, Optional<Hold>> holds,
      Function<Charge, CompletionStage<StoreAnswer>> ask) {}
}
