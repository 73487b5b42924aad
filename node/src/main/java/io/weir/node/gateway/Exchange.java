package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One request on its way to the upstream, and the answer on its way back, both streamed. It ends when the
 * answer is written, when either side breaks, or when nothing has moved for too long; then nothing of it is
 * left on the upstream's connection. Mutable; owned by one request, on its event loop.
 */
final class Exchange {
  private final Vertx vertx;
  private final HttpServerRequest request;
  private final HttpClientRequest outgoing;
  private final WatchedBody body;
  private final long timeoutNanos;
  private final Promise<Void> ended = Promise.promise();
  private long lastMoved = System.nanoTime();
  private long timer;

  Exchange(
      Vertx vertx,
      HttpServerRequest request,
      HttpClientRequest outgoing,
      long maxBodyBytes,
      long timeoutMillis) {
    this.vertx = vertx;
    this.request = request;
    this.outgoing = outgoing;
    this.body = new WatchedBody(request, maxBodyBytes, this::moved);
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /**
   * Runs the exchange.
   *
   * @param whole the body where it has been read already
   * @param headers is told the headers of the answer before they are written
   * @return fails with {@link WatchedBody.TooLongException}, {@link TimeoutException}, or whatever broke
   */
  Future<Void> run(Optional<Buffer> whole, Consumer<MultiMap> headers) {
    HttpServerResponse response = request.response();
    if (response.closed()) {
      return abandoned("the caller hung up before its turn");
    }
    response.closeHandler(closed -> ended.tryFail("the caller hung up"));
    watch(timeoutNanos);
    send(whole)
        .compose(answer -> relay(answer, headers))
        .onSuccess(ended::tryComplete)
        .onFailure(
            error -> ended.tryFail(body.isTooLong() ? new WatchedBody.TooLongException() : error));
    return ended.future().onComplete(done -> {
      vertx.cancelTimer(timer);
      // An answer may come before the whole request has gone: what is left of it is not wanted.
      if (done.failed() || !request.isEnded()) {
        Future<Void> unused = outgoing.reset().mapEmpty();
      }
    });
  }

  private Future<HttpClientResponse> send(Optional<Buffer> whole) {
    if (whole.isPresent()) {
      return outgoing.send(whole.get());
    }
    OptionalLong length = BodyFraming.length(request);
    if (length.isPresent() && length.getAsLong() == 0) {
      request.resume();
      return outgoing.send();
    }
    outgoing.setChunked(length.isEmpty());
    // A body that breaks must not look like one that ends: whoever pipes it resets instead.
    body.pipe().endOnFailure(false).to(outgoing).onFailure(this::broken);
    return outgoing.response();
  }

  private Future<Void> relay(HttpClientResponse answer, Consumer<MultiMap> headers) {
    moved();
    HttpServerResponse response = request.response();
    response.setStatusCode(answer.statusCode()).setStatusMessage(answer.statusMessage());
    response.headers().addAll(answer.headers());
    HopByHop.remove(response.headers());
    response.headers().remove(HttpHeaders.TRANSFER_ENCODING);
    headers.accept(response.headers());
    if (hasNoBody(answer)) {
      return response.end();
    }
    response.setChunked(!response.headers().contains(HttpHeaders.CONTENT_LENGTH));
    return new WatchedBody(answer, Long.MAX_VALUE, this::moved)
        .pipe()
        .endOnFailure(false)
        .to(response);
  }

  // RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5
  private boolean hasNoBody(HttpClientResponse answer) {
    return request.method().equals(HttpMethod.HEAD)
        || answer.statusCode() == 204
        || answer.statusCode() == 304;
  }

  private void broken(Throwable error) {
    ended.tryFail(body.isTooLong() ? new WatchedBody.TooLongException() : error);
  }

  private void moved() {
    lastMoved = System.nanoTime();
  }

  private void watch(long nanos) {
    timer = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), fired -> {
      long left = timeoutNanos - (System.nanoTime() - lastMoved);
      if (left > 0) {
        watch(left);
      } else {
        ended.tryFail(new TimeoutException("nothing moved"));
      }
    });
  }

  private Future<Void> abandoned(String why) {
    return outgoing.reset().transform(reset -> Future.failedFuture(why));
  }
}
