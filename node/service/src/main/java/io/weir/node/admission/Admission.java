package io.weir.node.admission;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Permits;
import io.weir.core.policy.Destination;
import io.weir.core.policy.Destinations;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.RequestTarget;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.hold.CostEstimates;
import io.weir.node.hold.Execution;
import io.weir.state.hold.HoldWish;
import io.weir.state.hold.Holds;
import io.weir.state.hold.Holds.LocalHold;
import io.weir.state.wire.RandomId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * Decides whether requests may pass to the upstream, for every door that forwards: identifies the subject, the
 * operation and the cost, and asks the throttle. A request that cannot be judged is refused with {@link
 * RefusedException}. Safe for use by many threads.
 */
public final class Admission {
  private static final ProblemDetails NOT_ACCEPTED = ProblemDetails.of(
      401, "identity_not_accepted", "The operation needs another identity of the caller");
  static final ProblemDetails PATH_AMBIGUOUS =
      ProblemDetails.of(400, "path_ambiguous", "The path can be read in more than one way");
  private static final ProblemDetails NO_UPSTREAM =
      ProblemDetails.of(404, "no_upstream", "The policy names no upstream to forward to");

  private static final long ALONE_WAIT_US = 1_000_000;

  private final PolicySource policies;
  private final Identities identities;
  private final Decider decider;
  private final Debts debts;
  private final Holds holds;
  private final CostEstimates estimates = new CostEstimates();

  public Admission(
      PolicySource policies, Identities identities, Decider decider, Debts debts, Holds holds) {
    this.policies = policies;
    this.identities = identities;
    this.decider = decider;
    this.debts = debts;
    this.holds = holds;
  }

  /** The subject of a request, see {@link Identities#authenticate}. */
  public Future<Subject> authenticate(HttpServerRequest request) {
    return authenticate(request, rule(request));
  }

  /** Whether the policy lists the operation of a request. */
  public boolean isListed(HttpServerRequest request) {
    return rule(request).isPresent();
  }

  private Optional<OperationRule> rule(HttpServerRequest request) {
    return RequestTarget.segments(request.path())
        .flatMap(path -> policies.current().policy().rule(request.method().name(), path));
  }

  /** The subject of a request that concerns an operation. */
  public Future<Subject> authenticate(
      HttpServerRequest request, Optional<OperationRule> operation) {
    return identities.authenticate(request, operation);
  }

  /**
   * Finds the operation, the upstream and the group of a request within another one, whose caller is known; throws {@link
   * RefusedException} if that by which the caller is known does not count for the operation.
   */
  public Asked identifyWithin(Request request, Subject subject) {
    identities.removeFrom(request.headers());
    Asked asked = identify(request, subject);
    if (!identities.isAccepted(subject, asked.rule())) {
      throw new RefusedException(NOT_ACCEPTED);
    }
    return asked;
  }

  /** The target of a request, without a key in its query. */
  public String target(HttpServerRequest request) {
    return identities.target(request);
  }

  /**
   * The destination of a request, if any.
   *
   * @param path without its query
   */
  public Optional<Destination> destinationOf(String method, String path) {
    Policy policy = policies.current().policy();
    return RequestTarget.segments(path)
        .map(segments -> policy.rule(method, segments))
        .flatMap(rule -> Destinations.of(policy, rule))
        .or(policy::upstream);
  }

  /** Finds the operation, the upstream and the group of a request. */
  public Asked identify(Request request, Subject subject) {
    Policy policy = policies.current().policy();
    List<String> path = Optional.of(request.target())
        .filter(target -> target.indexOf('#') < 0)
        .flatMap(target -> RequestTarget.segments(request.path()))
        .orElseThrow(() -> new RefusedException(PATH_AMBIGUOUS));
    Optional<OperationRule> rule = policy.rule(request.method(), path);
    return new Asked(
        request,
        subject,
        destination(policy, rule),
        rule,
        RequestGroup.of(Asked.groups(rule), request, Optional.empty()));
  }

  /** The destination of a rule's requests; throws {@link RefusedException} if the policy has none. */
  static Destination destination(Policy policy, Optional<OperationRule> rule) {
    return Destinations.of(policy, rule).orElseThrow(() -> new RefusedException(NO_UPSTREAM));
  }

  /** Identifies a request again after its wait, by the policy that is in force now. */
  public Asked identifyAgain(Asked asked) {
    return asked.by(policies.current().policy(), identities.again(asked.subject()));
  }

  /** The cost in operations; with the whole body if the cost is in it. */
  public static long cost(Asked asked, Optional<Buffer> body) {
    return CostReader.cost(asked.costRule(), asked.request(), body);
  }

  /**
   * The group of a request among those of its destination.
   *
   * @param body the whole body if it has been read
   */
  public static String group(OperationRule rule, Request request, Optional<Buffer> body) {
    return RequestGroup.of(Asked.groups(Optional.of(rule)), request, body);
  }

  /** Takes the whole cost from the subject's buckets, or nothing. */
  public Future<Ruling> admit(Context context, Asked asked, long cost, TicketRequest ticket) {
    return admit(context, asked, cost, ticket, HoldWish.of(asked.subject(), asked.settle()));
  }

  /** The same with another hold than that of its operation. */
  public Future<Ruling> admit(
      Context context, Asked asked, long cost, TicketRequest ticket, HoldWish wish) {
    return decider
        .consider(context, asked.subject(), asked.operation(), charged(asked, cost), ticket, wish)
        .map(decision -> ruling(decision, wish))
        .recover(error -> {
          // The charge may have been made although its answer was lost: cancel the hold, as nothing
          // else ends it.
          wish.held().filter(held -> error instanceof StoreUnavailableException).ifPresent(held -> {
            CompletionStage<Ended> unused = holds.end(held, new Ending.Cancelled());
          });
          return Future.succeededFuture(Ruling.undecided(error));
        });
  }

  /**
   * The refusal of a request whose body has not been read, if this node knows that it is refused whatever its body
   * holds; pass it to {@link #refuse} if the caller gets it. A caller with a ticket is not a newcomer: its turn may have
   * come. A cost that is known only later may be charged less at first.
   */
  public Optional<Decision> foreseen(Asked asked, TicketRequest ticket) {
    boolean isOpen = ticket.shown().isPresent() || asked.settle().isPresent();
    return isOpen
        ? Optional.empty()
        : decider.foreseen(asked.subject(), asked.operation(), asked.leastCost());
  }

  /** A foreseen refusal as its caller is told it; it is counted. */
  public Decision refuse(Asked asked, Decision foreseen) {
    return decider.refuse(asked.subject(), asked.operation(), asked.leastCost(), foreseen);
  }

  /** The ruling as its caller is told it; call it for each that is answered, not for one after which a request waits. */
  public Ruling told(Asked asked, long cost, Ruling ruling) {
    return ruling.fold(
        admitted -> admitted.decision() instanceof Allowed allowed
            ? new Ruling.Admitted(told(asked, cost, allowed), admitted.held(), admitted.alone())
            : admitted, // a debt is no denial
        denied -> told(asked, cost, denied.decision()) instanceof Denied told
            ? new Ruling.Denied(told)
            : denied,
        never -> told(asked, cost, never.decision()) instanceof Decision.NeverAllowed told
            ? new Ruling.NeverAllowed(told)
            : never,
        refused -> refused);
  }

  private Decision told(Asked asked, long cost, Decision decision) {
    return decider.told(asked.subject(), asked.operation(), cost, decision);
  }

  /**
   * The decision that a request would get now; takes nothing. Fails with {@link StoreUnavailableException}, or {@link
   * io.weir.core.throttle.UnknownSubjectException}.
   */
  public Future<Decision> peek(Context context, Subject subject, String operation, long cost) {
    return decider.peek(context, subject, operation, cost);
  }

  /**
   * Admits a request that continues an admitted one. A denial becomes a debt that is charged at its slot, so that it
   * takes its turn before later requests. The denial stands if the subject owes too much already, or if the request
   * demands more than rates or is settled.
   */
  public Future<Ruling> admitContinuing(Context context, Asked asked, long cost) {
    TicketRequest ticket = TicketRequest.wanted(Optional.empty(), RandomId::next);
    if (asked.isOfSeveralKinds()) {
      return admit(context, asked, cost, ticket); // debts cover rates only
    }
    return admit(context, asked, cost, ticket)
        .map(ruling -> ruling instanceof Ruling.Denied denied
                && debts.tryOwe(
                    context, asked.subject(), asked.operation(), cost, denied.decision())
            ? new Ruling.Admitted(denied.decision())
            : ruling);
  }

  /** The amount reserved at first for a request of this cost. */
  private long charged(Asked asked, long cost) {
    return asked
        .settle()
        .map(rule -> estimates.corrected(asked.subject(), asked.operation(), rule, cost))
        .orElse(cost);
  }

  /**
   * Ends what a request holds.
   *
   * @param asked the request that was charged
   * @param cost the cost that the request named
   * @param actual the actual cost, if the answer contains it
   * @param execution how far the request came
   */
  public Future<Void> end(
      Asked asked, long cost, Held held, OptionalLong actual, Execution execution) {
    Ending ending = asked
        .settle()
        .filter(rule -> held.reserves())
        .map(rule -> execution.ending(rule.refunds(), actual))
        .orElseGet(Ending.Cancelled::new);
    actual.ifPresent(known -> asked
        .settle()
        .ifPresent(rule -> estimates.learn(asked.subject(), asked.operation(), rule, cost, known)));
    return Future.fromCompletionStage(holds.end(held, ending)).mapEmpty();
  }

  // A hold of a degraded decision exists on this node only, not in the shared state.
  private Ruling ruling(Decision decision, HoldWish wish) {
    return decision.fold(
        allowed -> allowed.degraded() ? alone(allowed, wish) : admitted(allowed, wish),
        Ruling.Denied::new,
        Ruling.NeverAllowed::new);
  }

  private Ruling admitted(Allowed allowed, HoldWish wish) {
    wish.held().ifPresent(holds::begin);
    return new Ruling.Admitted(allowed, wish.held(), Optional.empty());
  }

  private Ruling alone(Allowed allowed, HoldWish wish) {
    if (wish.limits().isEmpty()) {
      return new Ruling.Admitted(allowed);
    }
    Optional<LocalHold> hold = wish.held().flatMap(held -> holds.beginAlone(held, wish.limits()));
    List<String> full = wish.limits().stream().map(Permits::name).toList();
    return hold.isPresent()
        ? new Ruling.Admitted(allowed, Optional.empty(), hold)
        : new Ruling.Denied(Denied.degraded(allowed.revision(), full, ALONE_WAIT_US));
  }

  /** Ends a hold that only this node knows. */
  public void end(LocalHold alone) {
    holds.end(alone);
  }
}
