package io.weir.adapters.vertx;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import io.weir.core.decision.Decision;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.library.AcquireRequest;
import io.weir.library.Hold;
import io.weir.library.Weir;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Limits the requests of a route of Vert.x-Web, with the answers of Weir's gateway; never blocks. Set it on a route of
 * its own, before that of a {@code BodyHandler}.
 *
 * <pre>{@code
 * router.route("/orders/*").handler(ThrottleHandler.of(
 *     weir, "Orders", request -> Optional.ofNullable(request.user()).map(User::subject)));
 * }</pre>
 */
public final class ThrottleHandler implements Handler<RoutingContext> {
  private final Weir weir;
  private final String operation;
  private final Function<RoutingContext, Optional<String>> subject;

  private ThrottleHandler(
      Weir weir, String operation, Function<RoutingContext, Optional<String>> subject) {
    this.weir = weir;
    this.operation = operation;
    this.subject = subject;
  }

  /**
   * Limits by an operation.
   *
   * @param subject the authenticated caller of a request; without one it is refused with 401
   */
  public static ThrottleHandler of(
      Weir weir, String operation, Function<RoutingContext, Optional<String>> subject) {
    return new ThrottleHandler(weir, operation, subject);
  }

  @Override
  public void handle(RoutingContext request) {
    Optional<String> caller = subject.apply(request);
    if (caller.isEmpty()) {
      refuse(request, Problem.keyMissing());
      return;
    }
    request.request().pause();
    Future.fromCompletionStage(
            weir.enter(ask(caller.get(), request)), request.vertx().getOrCreateContext())
        .onComplete(entered -> {
          request.request().resume();
          if (entered.succeeded()) {
            entered(request, entered.result());
          } else if (entered.cause() instanceof StoreUnavailableException) {
            refuse(request, Problem.unavailable());
          } else if (entered.cause() instanceof UnknownSubjectException) {
            refuse(request, Problem.keyInvalid());
          } else {
            request.fail(entered.cause());
          }
        });
  }

  private AcquireRequest ask(String caller, RoutingContext request) {
    MultiMap headers = request.request().headers();
    return AcquireRequest.ofRequest(
        caller,
        operation,
        Optional.ofNullable(headers.get(AnswerFields.RETRY_TICKET)),
        headers.getAll("Prefer"));
  }

  private void entered(RoutingContext request, Hold hold) {
    Decision decision = hold.decision();
    if (request.response().ended() || request.response().closed()) {
      CompletionStage<Ended> unused = hold.cancel(); // its caller is gone, or was answered
      return;
    }
    request.addEndHandler(end -> hold.close());
    AnswerFields.set(decision, (name, value) -> request.response().putHeader(name, value));
    if (hold.isAllowed()) {
      request.next();
    } else {
      refuse(request, Problem.refusing(operation, decision));
    }
  }

  private static void refuse(RoutingContext request, Problem problem) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    ProblemText.fields(problem).forEach((name, value) -> {
      if (!response.headers().contains(name)) {
        response.putHeader(name, value);
      }
    });
    Future<Void> unused = response
        .setStatusCode(problem.status())
        .putHeader("Content-Type", Problem.MEDIA_TYPE)
        .end(ProblemText.json(problem));
  }
}
