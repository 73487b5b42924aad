package io.weir.node.upstream;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.core.decision.Decision;
import io.weir.core.policy.Upstream;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.hold.Execution;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.usage.Usage;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Sends requests to their destinations: to a server that has a turn for it, and to another one if that fails and
 * repeating is safe. One for each event loop. Mutable; owned by its event loop.
 */
public final class Sender {
  private final Vertx vertx;
  private final Connections connections;
  private final SendSlots plain = new PlainSendSlots();
  private final SendSlots named;
  private final UpstreamFailures failures = new UpstreamFailures();

  /** @param named gives turns at the destinations that have a name */
  public Sender(Vertx vertx, Connections connections, SendSlots named) {
    this.vertx = vertx;
    this.connections = connections;
    this.named = named;
  }

  /**
   * The end of a request that was sent for a caller.
   *
   * @param execution how far it came
   * @param isWhole whether the whole answer was read
   */
  public record End(Execution execution, boolean isWhole) {}

  /**
   * Sends a paused request, and streams the answer to its caller.
   *
   * @param body the body if it has been read already
   * @param usage reads the cost from the answer
   */
  public Future<End> stream(
      HttpServerRequest request,
      Optional<Buffer> body,
      IdentifiedRequest asked,
      Decision decision,
      Optional<Usage> usage) {
    Attempts<Void> attempts = attempts(
        OutgoingRequest.of(request, asked),
        new StreamDelivery(vertx, request, body, decision, usage),
        false);
    return attempts.run().map(done -> new End(attempts.execution(), true)).recover(error -> {
      if (error instanceof GivenUpException) {
        return Future.succeededFuture(new End(attempts.execution(), false));
      }
      return attempts.isWaiting() && !(error instanceof RefusedException)
          ? Future.failedFuture(error)
          : fail(request, attempts.server(), decision, error)
              .map(over -> new End(attempts.execution(), false));
    });
  }

  /**
   * Sends a request whose body is there, and reads the whole answer.
   *
   * @return fails with {@link RefusedException} or {@link NotSentException} if no server has seen it, or with the I/O
   *     error
   */
  public <T> Future<T> whole(WholeRequest<T> whole) {
    return whole(whole, execution -> {});
  }

  /**
   * The same.
   *
   * @param ended gets to know how far the request came, before the future completes
   */
  public <T> Future<T> whole(WholeRequest<T> whole, Consumer<Execution> ended) {
    Attempts<T> attempts =
        attempts(whole.request(), new WholeDelivery<>(whole), whole.isRepeatable());
    return attempts
        .run()
        .onComplete(done -> ended.accept(attempts.execution()))
        .recover(error ->
            Future.failedFuture(attempts.isWaiting() ? unreported(attempts, error) : error));
  }

  // An earlier server may have acted upon the request: it counts as sent, even if this attempt did
  // not send it.
  private static Throwable unreported(Attempts<?> attempts, Throwable error) {
    if (attempts.wasSent()) {
      return new IllegalStateException("no other server took it", error);
    }
    return error instanceof RefusedException ? error : new NotSentException(error);
  }

  private <T> Attempts<T> attempts(
      OutgoingRequest request, Delivery<T> delivery, boolean isDeclaredSafe) {
    SendSlots slots = request.target().to().name().isEmpty() ? plain : named;
    return new Attempts<>(
        vertx, connections, slots.begin(request), request, delivery, isDeclaredSafe);
  }

  /** The problem to answer with if the upstream gave no answer. */
  public ProblemDetails problem(Upstream upstream, Throwable error) {
    return failures.problem(upstream, error);
  }

  // Answers a request that no server answered.
  private Future<Void> fail(
      HttpServerRequest request, Upstream upstream, Decision decision, Throwable error) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return Future.succeededFuture();
    }
    if (response.headWritten()) {
      // The head is written: only a reset shows the caller that the body is incomplete.
      return response.reset().mapEmpty();
    }
    ProblemDetails problem = failures.problem(upstream, error);
    keepOwn(response.headers());
    // The upstream's reason phrase may be set already, and would not match the new status.
    response.setStatusMessage(HttpResponseStatus.valueOf(problem.status()).reasonPhrase());
    DecisionAnswers.addHeaders(decision, response.headers());
    problem.addWait(response.headers());
    return EarlyAnswer.send(vertx, request, problem);
  }

  // Removes the upstream's headers; the node's Date, and Connection while it stops, stay.
  private static void keepOwn(MultiMap headers) {
    MultiMap own = MultiMap.caseInsensitiveMultiMap();
    for (CharSequence name : List.of(HttpHeaders.DATE, HttpHeaders.CONNECTION)) {
      String value = headers.get(name);
      if (value != null) {
        own.set(name, value);
      }
    }
    headers.clear().addAll(own);
  }
}
