package io.weir.node.authorize;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.HoldNeededException;
import io.weir.node.admission.Decider;
import io.weir.node.admission.DecisionProblems;
import io.weir.node.admission.Inquiry;
import io.weir.node.admission.Refusal;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.Identities;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.upstream.ForwardedHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /v1/authorize}: a proxy asks whether it may forward the request of a caller, before it does. The caller is known
 * as at the gateway, by the headers that the proxy passes on. Only proxies that the policy lists may ask: the answer
 * counts on what they say of a request and of its caller's address.
 *
 * <p>A request that may pass is answered by 200, which Envoy takes alone, and the headers that its upstream may want. Any
 * other status is a refusal with the headers and the body that the caller should get. The cost is taken from the limits at
 * once: it is not given back if the upstream fails.
 */
public final class AuthorizeDoor implements Door {
  private static final Logger LOG = LoggerFactory.getLogger(AuthorizeDoor.class);
  private static final String PATH = "/v1/authorize";
  /** The status that the caller should get, for a proxy that does not understand it. */
  private static final String STATUS = "Weir-Status";

  private static final ProblemDetails UNLISTED = ProblemDetails.of(
      403, "proxy_unknown", "Only proxies that the policy lists in identity.proxies may ask here");
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "not_found", "Nothing is there");
  private static final ProblemDetails PERMITS = ProblemDetails.of(
      403,
      "permits_unsupported",
      "The operation takes permits, and a proxy that asks cannot give them back: send it through the gateway");

  private final Vertx vertx;
  private final Context context;
  private final Identities identities;
  private final Decider decider;

  /** A door for one event loop. */
  public AuthorizeDoor(Vertx vertx, Identities identities, Decider decider) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.identities = identities;
    this.decider = decider;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::described).withQuery(ProxyStyle.PARAMETER),
        Route.get(PATH + "/{target}", this::itself).withAllMethodsAndQueries());
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH, Map.of("target", ".*"), UNKNOWN));
  }

  private Future<Void> described(RoutedRequest request) {
    requireProxy(request.http());
    ProxyStyle style = ProxyStyle.of(request.http());
    return Future.succeededFuture()
        .compose(begun -> answer(style.read(request.http())))
        .recover(error -> Future.failedFuture(translated(style, request.response(), error)));
  }

  // Envoy repeats the caller's method and target behind a prefix.
  private Future<Void> itself(RoutedRequest request) {
    requireProxy(request.http());
    String method = request.http().method().name();
    String uri = request.http().uri();
    String target = uri.startsWith(PATH) ? uri.substring(PATH.length()) : "";
    return answer(new CallersRequest(request.http(), method, target));
  }

  private void requireProxy(HttpServerRequest request) {
    if (!identities.isProxy(request)) {
      LOG.warn(
          "{} was asked from {}, which identity.proxies of the policy does not list: refused",
          PATH,
          request.remoteAddress().hostAddress());
      throw new RefusedException(UNLISTED);
    }
  }

  private Future<Void> answer(CallersRequest request) {
    Inquiry.Operation operation = Inquiry.operation(identities.policy(), request);
    return identities
        .authenticate(request, operation.rule())
        .map(subject -> operation.by(subject))
        .compose(inquiry -> decide(request, inquiry));
  }

  private Future<Void> decide(CallersRequest request, Inquiry inquiry) {
    return decider
        .decide(context, inquiry.question(), Tickets.in(request.headers(), 0))
        .recover(error -> Future.failedFuture(undecided(error)))
        .compose(decision -> answer(request, inquiry, decision));
  }

  private Future<Void> answer(CallersRequest request, Inquiry inquiry, Decision decision) {
    HttpServerResponse response = request.response();
    DecisionAnswers.addHeaders(decision, response.headers());
    if (!(decision instanceof Allowed)) {
      throw new RefusedException(DecisionProblems.of(inquiry.rule(), decision));
    }
    Subject subject = inquiry.subject();
    response.putHeader(ForwardedHeaders.SUBJECT, subject.id());
    response.putHeader(ForwardedHeaders.TENANT, subject.tenant());
    return response.end().onComplete(sent -> EarlyAnswer.drain(vertx, request));
  }

  private static RefusedException undecided(Throwable error) {
    return new RefusedException(
        error instanceof HoldNeededException ? PERMITS : Refusal.problem(error));
  }

  private static Throwable translated(
      ProxyStyle style, HttpServerResponse response, Throwable error) {
    if (!(RefusedException.of(error) instanceof RefusedException refused)) {
      return error;
    }
    ProblemDetails problem = refused.problem();
    return style
        .statusFor(problem)
        .<Throwable>map(status -> {
          response.putHeader(STATUS, Integer.toString(problem.status()));
          return new RefusedException(problem.withStatus(status));
        })
        .orElse(error);
  }
}
