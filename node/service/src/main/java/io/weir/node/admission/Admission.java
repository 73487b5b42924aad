package io.weir.node.admission;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.Destination;
import io.weir.core.policy.Destinations;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.RequestTarget;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.hold.CostEstimates;
import io.weir.node.hold.Execution;
import io.weir.state.hold.HeldDecision;
import io.weir.state.hold.HoldWish;
import io.weir.state.hold.Holds;
import io.weir.state.wire.RandomId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

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
  public IdentifiedRequest identifyWithin(Request request, Subject subject) {
    identities.removeFrom(request.headers());
    IdentifiedRequest asked = identify(request, subject);
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
        .or(() -> policy.routing().upstream());
  }

  /** Finds the operation, the upstream and the group of a request. */
  public IdentifiedRequest identify(Request request, Subject subject) {
    Policy policy = policies.current().policy();
    List<String> path = Optional.of(request.target())
        .filter(target -> target.indexOf('#') < 0)
        .flatMap(target -> RequestTarget.segments(request.path()))
        .orElseThrow(() -> new RefusedException(PATH_AMBIGUOUS));
    Optional<OperationRule> rule = policy.rule(request.method(), path);
    return new IdentifiedRequest(
        request,
        subject,
        destination(policy, rule),
        rule,
        RequestGroup.of(IdentifiedRequest.groups(rule), request, Optional.empty()));
  }

  /** The destination of a rule's requests; throws {@link RefusedException} if the policy has none. */
  static Destination destination(Policy policy, Optional<OperationRule> rule) {
    return Destinations.of(policy, rule).orElseThrow(() -> new RefusedException(NO_UPSTREAM));
  }

  /** Identifies a request again after its wait, by the policy that is in force now. */
  public IdentifiedRequest identifyAgain(IdentifiedRequest asked) {
    return asked.by(policies.current().policy(), identities.again(asked.subject()));
  }

  /** The cost in operations; with the whole body if the cost is in it. */
  public static long cost(IdentifiedRequest asked, Optional<Buffer> body) {
    return CostReader.cost(asked.costRule(), asked.request(), body);
  }

  /**
   * The group of a request among those of its destination.
   *
   * @param body the whole body if it has been read
   */
  public static String group(OperationRule rule, Request request, Optional<Buffer> body) {
    return RequestGroup.of(IdentifiedRequest.groups(Optional.of(rule)), request, body);
  }

  /** Takes the whole cost from the subject's buckets, or nothing. */
  public Future<Ruling> admit(Context context, CostedRequest request, TicketRequest ticket) {
    return admit(context, request, ticket, request.asked().hold());
  }

  /** The same with another hold than that of its operation. */
  public Future<Ruling> admit(
      Context context, CostedRequest request, TicketRequest ticket, HoldWish wish) {
    return admit(context, request, ticket, wish, decision -> false);
  }

  /**
   * Admits a request that continues an admitted one. A denial becomes a debt that is charged at its slot, so that it
   * takes its turn before later requests. The denial stands if the subject owes too much already, or if the request
   * demands more than rates or is settled.
   */
  public Future<Ruling> admitContinuing(Context context, CostedRequest request) {
    IdentifiedRequest asked = request.asked();
    return admit(
        context,
        request,
        TicketRequest.wanted(Optional.empty(), RandomId::next),
        asked.hold(),
        decision -> decision instanceof Denied denied
            && !asked.isOfSeveralKinds() // debts cover rates only
            && debts.tryOwe(context, asked.question(request.cost()), denied));
  }

  private Future<Ruling> admit(
      Context context,
      CostedRequest request,
      TicketRequest ticket,
      HoldWish wish,
      Predicate<Decision> isOwed) {
    Question charged = request.asked().question(charged(request));
    return decider
        .consider(context, charged, ticket, wish)
        .map(decision -> {
          HeldDecision held = holds.begin(decision, wish);
          return isOwed.test(held.decision())
              ? new Admitted(request, held.decision(), held)
              : ruling(request, held);
        })
        .recover(error -> {
          holds.withdraw(wish, error);
          return Future.succeededFuture(Refusal.undecided(error));
        });
  }

  /** The amount reserved at first. */
  private long charged(CostedRequest request) {
    IdentifiedRequest asked = request.asked();
    return asked
        .settle()
        .map(rule -> estimates.corrected(asked.subject(), asked.operation(), rule, request.cost()))
        .orElse(request.cost());
  }

  private Ruling ruling(CostedRequest request, HeldDecision held) {
    IdentifiedRequest asked = request.asked();
    Question question = asked.question(request.cost());
    Decision decision = held.decision();
    return decision instanceof Allowed
        ? new Admitted(request, decider.answered(question, decision), held)
        : Refusal.of(asked.rule(), decision, () -> decider.answered(question, decision));
  }

  /**
   * The refusal of a request whose body has not been read, if this node knows that it is refused whatever its body
   * holds; it is counted if it is answered. A caller with a ticket is not a newcomer: its turn may have come. A cost that
   * is known only later may be charged less at first.
   */
  public Optional<Refusal> foreseen(IdentifiedRequest asked, TicketRequest ticket) {
    boolean isOpen = ticket.shown().isPresent() || asked.settle().isPresent();
    Question question = asked.question(asked.leastCost());
    return isOpen
        ? Optional.empty()
        : decider
            .foreseen(question)
            .map(refusal ->
                Refusal.of(asked.rule(), refusal, () -> decider.refused(question, refusal)));
  }

  /**
   * The decision that a request would get now; takes nothing. Fails with {@link StoreUnavailableException}, or {@link
   * io.weir.core.throttle.UnknownSubjectException}.
   */
  public Future<Decision> peek(Context context, Subject subject, String operation, long cost) {
    return decider.peek(context, subject, operation, cost);
  }

  /**
   * Ends what an admitted request holds.
   *
   * @param actual the actual cost, if the answer contains it
   * @param execution how far the request came
   */
  public void end(Admitted admitted, OptionalLong actual, Execution execution) {
    IdentifiedRequest asked = admitted.request().asked();
    Optional<SettleRule> settle = asked.settle();
    long named = admitted.request().cost();
    actual.ifPresent(cost -> settle.ifPresent(
        rule -> estimates.learn(asked.subject(), asked.operation(), rule, named, cost)));
    CompletionStage<Ended> unused = admitted
        .holds()
        .end(settle
            .filter(rule -> admitted.holds().reserves())
            .map(rule -> execution.ending(rule.refunds(), actual))
            .orElseGet(Ending.Cancelled::new));
  }
}
