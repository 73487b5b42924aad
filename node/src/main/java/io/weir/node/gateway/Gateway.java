package io.weir.node.gateway;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.Decision;
import io.weir.decision.Decision.Denied;
import io.weir.decision.Decision.NeverAllowed;
import io.weir.node.Decider;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.ApiKey;
import io.weir.node.auth.Authenticator;
import io.weir.node.gateway.Seats.Seat;
import io.weir.node.http.BodyFraming;
import io.weir.node.http.EarlyAnswer;
import io.weir.node.http.WatchedBody;
import io.weir.policy.CostRule;
import io.weir.policy.OperationRule;
import io.weir.policy.Plan;
import io.weir.policy.Policy;
import io.weir.policy.Subject;
import io.weir.policy.Upstream;
import io.weir.slot.TicketRequest;
import io.weir.throttle.PolicySource;
import io.weir.throttle.UnknownSubjectException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reverse proxy: authenticates the key, finds operation and cost, decides, and forwards the request
 * or answers it. One for each event loop.
 */
public final class Gateway implements Handler<HttpServerRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
  private static final long MICROS_PER_MILLI = 1000;
  private static final CostRule ONE = new CostRule.Fixed(1);

  private final Vertx vertx;
  private final PolicySource policies;
  private final Decider decider;
  private final Forwarder forwarder;
  private final Seats seats;
  private final WaitingRoom waiting;
  private final Context context;
  private final BatchMark mark;
  private final Debts debts;

  public Gateway(Vertx vertx, PolicySource policies, Decider decider, Seats seats, BatchMark mark) {
    this.vertx = vertx;
    this.policies = policies;
    this.decider = decider;
    this.forwarder = new Forwarder(vertx);
    this.seats = seats;
    this.waiting = new WaitingRoom(vertx);
    this.context = vertx.getOrCreateContext();
    this.mark = mark;
    this.debts = new Debts(vertx, context, decider);
  }

  @Override
  public void handle(HttpServerRequest request) {
    request.pause();
    // Composed, so that what is thrown ends where what fails does.
    Future.succeededFuture().compose(begun -> serve(request)).onFailure(error -> {
      if (request.response().closed()) {
        return; // the caller hung up while it was served
      }
      LOG.error("a request failed for no known reason", error);
      if (!request.response().headWritten()) {
        answer(request, ProblemDetails.of(500, "internal_error", "The node failed"));
      }
    });
  }

  /** Tells those that wait when to come back: the node stops, and any other keeps their appointments. */
  public void close() {
    waiting.close();
  }

  private Future<Void> serve(HttpServerRequest request) {
    BatchMark.Kind kind = mark.takeOff(request.headers());
    Policy policy = policies.current().policy();
    Optional<String> shown = ApiKey.shownIn(request.headers());
    if (shown.isEmpty()) {
      return answer(request, GatewayProblems.KEY_MISSING);
    }
    Optional<Subject> subject = Authenticator.authenticate(shown.get(), policy);
    if (subject.isEmpty()) {
      return answer(request, GatewayProblems.KEY_INVALID);
    }
    // Only the origin form (RFC 9112, section 3.2.1): in any other, the path that is matched
    // here may not be the one that the upstream sees.
    boolean plain = !HttpMethod.CONNECT.equals(request.method())
        && request.uri().startsWith("/")
        && request.uri().indexOf('#') < 0
        && BodyFraming.isPlain(request);
    Optional<List<String>> path = plain ? RequestTarget.segments(request.path()) : Optional.empty();
    if (path.isEmpty()) {
      return answer(request, GatewayProblems.PATH_AMBIGUOUS);
    }
    if (policy.upstream().isEmpty()) {
      return answer(request, GatewayProblems.NO_UPSTREAM);
    }
    Upstream upstream = policy.upstream().get();
    if (announcesTooMuch(request, upstream)) {
      return answer(request, GatewayProblems.BODY_TOO_LONG);
    }
    Optional<OperationRule> rule = policy.rule(request.method().name(), path.get());
    return throttle(new Ask(request, subject.get(), upstream, rule, kind));
  }

  private Future<Void> throttle(Ask ask) {
    if (!CostReader.needsBody(ask.costRule())) {
      return decide(ask, Optional.empty());
    }
    return buffered(ask)
        .compose(body -> decide(ask, Optional.of(body)))
        .recover(error -> error instanceof WatchedBody.TooLongException
            ? answer(ask.request(), GatewayProblems.BODY_TOO_LONG)
            : Future.failedFuture(error));
  }

  private Future<Buffer> buffered(Ask ask) {
    return new WatchedBody(ask.request(), ask.upstream().maxBodyBytes(), () -> {}).whole();
  }

  private Future<Void> decide(Ask ask, Optional<Buffer> body) {
    long cost;
    try {
      cost = CostReader.cost(ask.costRule(), ask.request(), body);
    } catch (CostReader.BadCostException e) {
      return answer(ask.request(), e.problem());
    }
    Optional<Seat> seat = ask.maxDelayMillis() > 0 && waiting.isOpen()
        ? seats.take(ask.subject().id(), body.map(Buffer::length).orElse(0))
        : Optional.empty();
    long delay = seat.isPresent() ? ask.maxDelayMillis() : 0;
    // What continues is counted by its ticket, when its slot has come.
    TicketRequest ticket = ask.continues()
        ? TicketRequest.wanted(Optional.empty(), Tickets.newId())
        : Tickets.in(ask.request().headers(), delay * MICROS_PER_MILLI);
    return decide(new Question(ask, body, cost, ticket, delay, seat))
        .onComplete(done -> seat.ifPresent(Seat::free));
  }

  private Future<Void> decide(Question question) {
    Ask ask = question.ask();
    return decider
        .decide(context, ask.subject(), ask.operation(), question.cost(), question.ticket())
        .transform(decided -> decided.succeeded()
            ? act(question, decided.result())
            : undecided(ask, question.body(), decided.cause()));
  }

  private Future<Void> act(Question question, Decision decision) {
    return decision.fold(
        allowed -> {
          question.seat().ifPresent(Seat::free);
          return forward(question.ask(), question.body(), Optional.of(allowed));
        },
        denied -> deny(question, denied),
        never -> reject(question.ask(), never));
  }

  // A wait that is short enough is no error: the node keeps the caller's appointment for it.
  private Future<Void> deny(Question question, Denied denied) {
    Ask ask = question.ask();
    if (ask.continues() && debts.tryOwe(ask.subject(), ask.operation(), question.cost(), denied)) {
      return forward(ask, question.body(), Optional.of(denied));
    }
    long wait = (denied.retryAfterMicros() + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
    boolean near =
        denied.ticket().isPresent() && wait <= question.delayLeftMillis() && waiting.isOpen();
    if (!near) {
      return reject(question.ask(), denied);
    }
    return waiting
        .hold(question.ask().request(), Math.max(1, wait))
        .compose(due -> due ? comeBack(question, denied, wait) : reject(question.ask(), denied));
  }

  // The policy may have changed meanwhile.
  private Future<Void> comeBack(Question question, Denied denied, long waited) {
    HttpServerRequest request = question.ask().request();
    Policy policy = policies.current().policy();
    Optional<Subject> subject =
        ApiKey.shownIn(request.headers()).flatMap(key -> Authenticator.authenticate(key, policy));
    if (subject.isEmpty()) {
      return answer(request, GatewayProblems.KEY_INVALID);
    }
    Ask again = new Ask(
        request,
        subject.get(),
        policy.upstream().orElse(question.ask().upstream()),
        question.ask().rule(),
        question.ask().kind());
    return decide(new Question(
        again,
        question.body(),
        question.cost(),
        TicketRequest.wanted(denied.ticket(), Tickets.newId()),
        question.delayLeftMillis() - waited,
        question.seat()));
  }

  private Future<Void> reject(Ask ask, Denied denied) {
    DecisionAnswers.addHeaders(denied, ask.request().response().headers());
    return answer(ask.request(), DecisionAnswers.problem(denied));
  }

  private Future<Void> reject(Ask ask, NeverAllowed never) {
    DecisionAnswers.addHeaders(never, ask.request().response().headers());
    return answer(ask.request(), DecisionAnswers.problem(never));
  }

  private Future<Void> undecided(Ask ask, Optional<Buffer> body, Throwable error) {
    if (error instanceof UnknownSubjectException) {
      return answer(ask.request(), GatewayProblems.KEY_INVALID); // withdrawn a moment ago
    }
    return decider.passes(error)
        ? forward(ask, body, Optional.empty())
        : answer(ask.request(), ProblemDetails.unavailable());
  }

  private Future<Void> forward(Ask ask, Optional<Buffer> body, Optional<Decision> decision) {
    return forwarder.forward(ask.request(), body, ask.upstream(), ask.subject(), decision);
  }

  private Future<Void> answer(HttpServerRequest request, ProblemDetails problem) {
    return EarlyAnswer.send(vertx, request, problem);
  }

  private static boolean announcesTooMuch(HttpServerRequest request, Upstream upstream) {
    return BodyFraming.length(request).orElse(0) > upstream.maxBodyBytes();
  }

  /** A request that is known, but not decided. */
  private record Ask(
      HttpServerRequest request,
      Subject subject,
      Upstream upstream,
      Optional<OperationRule> rule,
      BatchMark.Kind kind) {
    /** Whether it goes on with what was admitted, and may. */
    boolean continues() {
      return kind == BatchMark.Kind.CONTINUING
          && rule.filter(OperationRule::continues).isPresent();
    }

    String operation() {
      return rule.map(OperationRule::name).orElse(Plan.UNLISTED);
    }

    long maxDelayMillis() {
      return kind == BatchMark.Kind.NO_STEP
          ? rule.map(OperationRule::maxDelayMillis).orElse(0L)
          : 0;
    }

    CostRule costRule() {
      return rule.map(OperationRule::cost).orElse(ONE);
    }
  }

  /**
   * What is asked of the throttle.
   *
   * @param body where it has been read
   * @param delayLeftMillis up to which wait the request is held
   */
  private record Question(
      Ask ask,
      Optional<Buffer> body,
      long cost,
      TicketRequest ticket,
      long delayLeftMillis,
      Optional<Seat> seat) {}
}
