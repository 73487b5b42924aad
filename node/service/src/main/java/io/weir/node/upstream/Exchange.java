package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.streams.ReadStream;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.Framing;
import io.weir.node.intake.Upload;
import io.weir.node.intake.WatchedBody;
import io.weir.node.usage.Usage;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request to the upstream and its answer, both streamed; a short answer of known length is sent in one piece. Ends
 * when the answer is written, when either side breaks, or when nothing has moved for the timeout; then nothing of it
 * remains on the upstream's connection. Mutable; owned by one request, on its event loop.
 */
final class Exchange {
  private static final int FIRST_FINAL_STATUS = 200;
  private static final long MOST_WITHOUT_CALLER_MILLIS = 60_000;

  private final Vertx vertx;
  private final HttpServerRequest request;
  private final HttpClientRequest outgoing;
  private final WatchedBody body;
  private final ExchangeWatch watch;
  private final Optional<Usage> usage;
  private final Promise<Void> ended = Promise.promise();
  private long callerTimer = -1;
  private boolean sent;
  private boolean isCallerGone;
  private boolean outgoingHasFailed;
  private @Nullable HttpClientResponse answer;
  private @Nullable WatchedBody answered;

  Exchange(
      Vertx vertx,
      HttpServerRequest request,
      HttpClientRequest outgoing,
      long maxBodyBytes,
      long timeoutMillis,
      Optional<Usage> usage) {
    this.vertx = vertx;
    this.request = request;
    this.outgoing = outgoing;
    this.watch = new ExchangeWatch(vertx, outgoing, timeoutMillis, ended::tryFail);
    this.body = new WatchedBody(request, maxBodyBytes, bytes -> watch.moved());
    this.usage = usage;
  }

  /**
   * Runs the exchange. If the filter refuses the answer, the caller receives nothing.
   *
   * @param whole the body if it has been read already
   * @param headers gets the headers of the answer before they are written; until then the caller has received nothing
   * @return fails with {@link RefusedException}, {@link TimeoutException}, {@link InvalidAnswerException}, {@link
   *     NotPassedException} or the I/O error
   */
  Future<Void> run(Optional<Buffer> whole, Consumer<MultiMap> headers, AnswerFilter filter) {
    HttpServerResponse response = request.response();
    if (response.closed()) {
      return outgoing
          .reset()
          .transform(reset ->
              Future.failedFuture(new NotSentException(new GivenUpException()))); // not sent yet
    }
    response.closeHandler(closed -> callerLeft());
    outgoing.exceptionHandler(error -> {
      outgoingHasFailed = true;
      broken(error);
    });
    watch.begin();
    send(whole)
        .compose(head -> {
          if (filter.readsBody(head.statusCode())
              && StartedAnswer.isSmallJson(head)
              && !StartedAnswer.hasNone(request.method(), head)) {
            return StartedAnswer.read(head, watch::moved)
                .compose(body -> relay(head, body, filter, body.whole(), headers));
          }
          return relay(head, head, filter, Optional.empty(), headers);
        })
        .onSuccess(done -> whole())
        .onFailure(this::broken);
    return ended.future().onComplete(done -> leave(done.succeeded()));
  }

  /** Stops waiting for the answer. */
  void giveUp() {
    ended.tryFail(new TimeoutException("the answer did not begin in time"));
  }

  /** Whether the whole request has been sent. */
  boolean isSent() {
    return sent;
  }

  /** Whether an answer has passed the filter. */
  boolean isPassing() {
    return answer != null;
  }

  // A connection with a half-sent request cannot be reused. If the answer came before the end of
  // the request, the rest of the request is dropped.
  private void leave(boolean answered) {
    watch.end();
    vertx.cancelTimer(callerTimer);
    if (!sent) {
      outgoing.connection().close();
    } else if (!answered) {
      Future<Void> unused = outgoing.reset().mapEmpty();
    }
    if (isCallerGone) {
      request.connection().close();
    } else if (answered) {
      EarlyAnswer.drain(vertx, request);
    }
  }

  // The end of the answer may contain the cost: then it is read on without the caller.
  private void callerLeft() {
    if (ended.future().isComplete()) {
      return;
    }
    if (!sent || usage.filter(Usage::needsTheEnd).isEmpty()) {
      ended.tryFail("the caller hung up");
      return;
    }
    if (!isCallerGone) {
      isCallerGone = true;
      callerTimer =
          vertx.setTimer(MOST_WITHOUT_CALLER_MILLIS, late -> ended.tryFail("the caller hung up"));
      readOn();
    }
  }

  private void readOn() {
    WatchedBody body = answered;
    if (body != null && body.hasEnded()) {
      whole();
    } else if (body != null) {
      body.handler(unseen -> {});
      body.exceptionHandler(ended::tryFail);
      body.endHandler(end -> whole());
      body.resume();
    }
  }

  private void whole() {
    HttpClientResponse head = answer;
    if (head != null) {
      usage.ifPresent(cost -> cost.end(head.trailers()));
    }
    ended.tryComplete();
  }

  private void seen(Buffer chunk) {
    watch.moved();
    usage.ifPresent(cost -> cost.chunk(chunk));
  }

  private void sent() {
    sent = true;
    watch.sent();
  }

  private Future<HttpClientResponse> send(Optional<Buffer> whole) {
    if (whole.isPresent()) {
      sent();
      return outgoing.send(whole.get());
    }
    OptionalLong length = Framing.length(request);
    if (length.isPresent() && length.getAsLong() == 0) {
      sent();
      request.resume();
      return outgoing.send();
    }
    outgoing.setChunked(length.isEmpty());
    watch.beginUpload(body::seen);
    Upload.welcome(request);
    body.pipe()
        .endOnFailure(false) // a broken body must not look complete: the request is reset
        .to(outgoing)
        .onSuccess(all -> sent())
        .onFailure(this::broken);
    return outgoing.response();
  }

  private Future<Void> relay(
      HttpClientResponse head,
      ReadStream<Buffer> source,
      AnswerFilter filter,
      Optional<Buffer> begin,
      Consumer<MultiMap> headers) {
    if (!filter.passes(head.statusCode(), head.headers(), begin)) {
      if (begin.isEmpty()) {
        head.exceptionHandler(reset -> {}); // the rest is not read
      }
      return Future.failedFuture(new NotPassedException());
    }
    watch.moved();
    answer = head;
    if (head.statusCode() < FIRST_FINAL_STATUS) {
      return Future.failedFuture(new InvalidAnswerException());
    }
    HttpServerResponse response = request.response();
    usage.ifPresent(cost -> cost.head(head.headers()));
    if (StartedAnswer.hasNone(request.method(), head)) {
      begin(head, headers);
      return isCallerGone ? Future.succeededFuture() : response.end();
    }
    WatchedBody body = new WatchedBody(source, Long.MAX_VALUE, this::seen);
    answered = body;
    if (isCallerGone) {
      readOn();
      return Promise.<Void>promise().future();
    }
    if (StartedAnswer.isShort(head)) {
      return body.whole().compose(all -> {
        begin(head, headers);
        return response.end(all);
      });
    }
    begin(head, headers);
    response.setChunked(!response.headers().contains(HttpHeaders.CONTENT_LENGTH));
    return body.pipe()
        .endOnFailure(false)
        .to(response)
        .onSuccess(all -> closeWhereThatIsTheEnd(response));
  }

  private void begin(HttpClientResponse head, Consumer<MultiMap> headers) {
    AnswerHead.copy(head, request.response());
    headers.accept(request.response().headers());
  }

  // RFC 9112, section 6.3: without a length and without chunks, the end of the connection ends the
  // body.
  private void closeWhereThatIsTheEnd(HttpServerResponse response) {
    if (request.version() == HttpVersion.HTTP_1_0
        && !response.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      request.connection().close();
    }
  }

  // A write may fail before the hang-up is noticed: then the upstream's answer is read on.
  private void broken(Throwable error) {
    WatchedBody body = answered;
    boolean isUpstreams = body == null || body.isBroken() || outgoingHasFailed;
    if (request.response().closed() || (!isUpstreams && usage.isPresent())) {
      callerLeft();
    } else {
      ended.tryFail(error);
    }
  }
}
