package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.decision.Decision;
import io.weir.core.policy.Upstream;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.RefusedException;
import io.weir.node.usage.Usage;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Streams a caller's request to a server, and the answer back. Mutable; owned by the request's event loop. */
final class StreamDelivery implements Delivery<Void> {
  private final Vertx vertx;
  private final HttpServerRequest request;
  private final Optional<Buffer> body;
  private final Decision decision;
  private final Optional<Usage> usage;
  private @Nullable Exchange exchange;
  private boolean isBegun;

  StreamDelivery(
      Vertx vertx,
      HttpServerRequest request,
      Optional<Buffer> body,
      Decision decision,
      Optional<Usage> usage) {
    this.vertx = vertx;
    this.request = request;
    this.body = body;
    this.decision = decision;
    this.usage = usage;
  }

  @Override
  public Future<Void> send(HttpClientRequest outgoing, SendSlot slot, AnswerFilter filter) {
    Upstream server = slot.server();
    Exchange begun = new Exchange(
        vertx, request, outgoing, server.maxBodyBytes(), server.timeoutMillis(), usage);
    exchange = begun;
    return begun.run(body, this::begin, filter);
  }

  private void begin(MultiMap headers) {
    isBegun = true;
    DecisionAnswers.addHeaders(decision, headers);
  }

  @Override
  public void giveUp() {
    if (exchange != null) {
      exchange.giveUp();
    }
  }

  @Override
  public Optional<Buffer> body() {
    return body;
  }

  // A body that was read for its cost may be too long to send again.
  @Override
  public boolean isReplayable(long mostBytes) {
    return body.map(whole -> whole.length() <= mostBytes).orElseGet(this::hasNoBody);
  }

  @Override
  public boolean isTimed() {
    return body.isPresent() || hasNoBody();
  }

  private boolean hasNoBody() {
    return request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null
        && Optional.ofNullable(request.getHeader(HttpHeaders.CONTENT_LENGTH))
            .filter(length -> !length.equals("0"))
            .isEmpty();
  }

  @Override
  public boolean isAnswering() {
    return isBegun();
  }

  // The caller may have part of the answer, or its cost has been read.
  @Override
  public boolean isBegun() {
    return isBegun || (usage.isPresent() && exchange != null && exchange.isPassing());
  }

  @Override
  public boolean isGone() {
    return request.response().closed();
  }

  @Override
  public long deadlineNanos() {
    return Long.MAX_VALUE;
  }

  // A caller that sends or reads too slowly says nothing about the server.
  @Override
  public Cause cause(Throwable error, boolean isAnswered) {
    boolean isSent = exchange != null && exchange.isSent();
    if (isGone() && isSent && !isAnswered) {
      return Cause.HANG_UP;
    }
    boolean isCallers = error instanceof RefusedException
        || isGone()
        || request.response().writeQueueFull()
        || (!isSent && !isAnswered && !(error instanceof TimeoutException));
    return isCallers ? Cause.CALLER : Cause.SERVER;
  }
}
