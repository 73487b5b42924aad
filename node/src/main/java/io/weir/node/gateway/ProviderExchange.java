package io.weir.node.gateway;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.core.decision.Decision;
import io.weir.core.policy.Upstream;
import io.weir.core.upstream.Provider;
import io.weir.core.upstream.Providers;
import io.weir.node.admission.Asked;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.gateway.Forwarder.End;
import io.weir.node.gateway.Forwarder.NotSentException;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.metrics.ProviderMeters.NotRetried;
import io.weir.node.provider.GivenUpException;
import io.weir.node.provider.JsonRpcErrors;
import io.weir.node.provider.Outcome;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.node.provider.RetryBudget;
import io.weir.node.usage.Usage;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Forwards one request to the providers of an upstream. Mutable; owned by its event loop. */
final class ProviderExchange {
  private final ProviderForwarder.Parts node;
  private final HttpServerRequest request;
  private final Optional<Buffer> body;
  private final Asked asked;
  private final Decision decision;
  private final Optional<Usage> usage;
  private final Retries retries;
  private final RepeatSafety safety;
  private boolean wasSent;
  private @Nullable Outcome seen;
  private boolean isTold;
  private long sentNanos;
  private long headNanos;
  private @Nullable Exchange exchange;
  private boolean isProbeOver;
  private boolean isOvertaken;

  ProviderExchange(
      ProviderForwarder.Parts node,
      HttpServerRequest request,
      Optional<Buffer> body,
      Asked asked,
      Decision decision,
      Optional<Usage> usage,
      RetryBudget budget) {
    this.node = node;
    this.request = request;
    this.body = body;
    this.asked = asked;
    this.decision = decision;
    this.usage = usage;
    this.retries = new Retries(node, asked, budget);
    this.safety = new RepeatSafety(asked, request.headers(), body);
  }

  /** Waits for its turn, sends, and answers; or tries again. */
  Future<End> attempt() {
    return Future.succeededFuture()
        .compose(begun -> {
          long deadline = System.nanoTime()
              + TimeUnit.MILLISECONDS.toNanos(upstream().bounds().queueMillis());
          return node.gate()
              .enter(
                  () -> retries.wish(this::isRepeatable, deadline, request.response()::closed),
                  true)
              .compose(this::send);
        })
        .recover(error -> {
          if (error instanceof RefusedException refused) {
            return refuse(refused.problem()).map(told -> new End(wasSent, false));
          }
          retries.cancel();
          return error instanceof GivenUpException
              ? Future.succeededFuture(new End(wasSent, false))
              : Future.failedFuture(error);
        });
  }

  private Providers upstream() {
    return retries.upstream();
  }

  private Future<Void> refuse(ProblemDetails problem) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.headWritten()) {
      retries.cancel();
      return Future.succeededFuture();
    }
    DecisionAnswers.addHeaders(decision, response.headers());
    problem.addWait(response.headers());
    retries.end(problem.code());
    return EarlyAnswer.send(node.vertx(), request, problem);
  }

  private Future<End> send(Entered entered) {
    Provider provider = upstream().named(entered.provider()).orElseThrow();
    Asked to = retries.begin(entered, provider);
    seen = null;
    exchange = null;
    isProbeOver = false;
    isOvertaken = false;
    sentNanos = 0;
    headNanos = 0;
    return Future.succeededFuture()
        .compose(begun ->
            node.forwarder().open(to, retries.usable().headers(node.keys(), to, provider, entered)))
        .compose(sending -> {
          Upstream place = to.upstream();
          sentNanos = System.nanoTime();
          Exchange sent = new Exchange(
              node.vertx(),
              request,
              sending.request(),
              place.maxBodyBytes(),
              place.timeoutMillis(),
              usage);
          exchange = sent;
          long timer = watch(sent);
          return sent.run(body, this::tell, filter(entered)).onComplete(end -> {
            node.vertx().cancelTimer(timer);
            sending.share().free();
          });
        })
        .transform(done -> {
          Entered tried = isProbeOver ? entered.afterProbe() : entered;
          Outcome outcome = outcome(tried, done.cause());
          wasSent |= sentNanos > 0 && !(done.cause() instanceof NotSentException);
          Future<Boolean> unused = node.lessons().learn(tried, outcome, asked.group(), tookNanos());
          if (done.failed() && isTriedAgain(done.cause(), outcome)) {
            return retries.backOff().compose(due -> attempt());
          }
          retries.end(outcome);
          return done.succeeded()
              ? Future.succeededFuture(new End(true, true))
              : node.forwarder()
                  .fail(request, to.upstream(), decision, done.cause())
                  .map(told -> new End(wasSent, false));
        });
  }

  // Give up the attempt if the request may be sent again: another provider may answer sooner.
  private long watch(Exchange sent) {
    long millis = upstream().retry().attemptMillis();
    return millis == 0
        ? -1
        : node.vertx().setTimer(millis, late -> {
          Outcome silent = Outcome.broken();
          if (!isBegun() && retries.isAllowed(silent, obstacle(silent))) {
            isOvertaken = true;
            sent.giveUp();
          }
        });
  }

  // The caller may have part of the answer, or its cost has been read.
  private boolean isBegun() {
    return isTold || (seen != null && usage.isPresent());
  }

  private void tell(MultiMap headers) {
    isTold = true;
    DecisionAnswers.addHeaders(decision, headers);
  }

  // Measured until the head: the caller's speed says nothing about the provider. 0 if unknown.
  private long tookNanos() {
    boolean isKnown = headNanos > 0 && (body.isPresent() || hasNoBody());
    return isKnown ? headNanos - sentNanos : 0;
  }

  // A failed answer is withheld while another attempt is allowed.
  private AnswerFilter filter(Entered entered) {
    return new AnswerFilter() {
      @Override
      public boolean readsBody(HttpClientResponse head) {
        return upstream().sending().isJsonRpc()
            && head.statusCode() == 200
            && BegunAnswer.isSmallJson(head);
      }

      @Override
      public boolean passes(HttpClientResponse head, Optional<Buffer> begin) {
        headNanos = System.nanoTime();
        node.lessons().heard(entered);
        Outcome outcome = begin
            .flatMap(body -> JsonRpcErrors.limited(body, upstream().sending().jsonRpcCodes()))
            .orElseGet(() -> Outcome.answered(
                head.statusCode(), head.headers(), Clock.systemUTC().instant()));
        seen = outcome;
        isProbeOver = node.lessons().endsProbe(entered, outcome);
        boolean isTold = !retries.isAllowed(outcome, obstacle(outcome));
        if (!isTold && begin.isEmpty()) {
          head.exceptionHandler(reset -> {}); // the rest is not read
        }
        return isTold;
      }
    };
  }

  private Outcome outcome(Entered entered, @Nullable Throwable error) {
    Outcome answered = seen;
    boolean isWhole = error == null || error instanceof NotPassedException;
    // A wait that the provider named counts, whatever happens to the rest of the answer.
    if (answered != null && (isWhole || answered.coolMillis() > 0)) {
      return answered;
    }
    boolean isGone = request.response().closed();
    if (isOvertaken) {
      return node.lessons().overtaken(entered, sentNanos);
    }
    if (error instanceof NotSentException) {
      return isGone ? Outcome.unknown() : Outcome.notSent();
    }
    Exchange sent = exchange;
    boolean isSent = sent != null && sent.isSent();
    // The caller hung up: if the provider has been silent for long, it counts as hanging.
    if (isGone && isSent && headNanos == 0) {
      return node.lessons().isSilent(entered, sentNanos) ? Outcome.broken() : Outcome.unknown();
    }
    // A caller that sends or reads too slowly says nothing about the provider.
    boolean isCallers = error instanceof RefusedException
        || isGone
        || request.response().writeQueueFull()
        || (!isSent && headNanos == 0 && !(error instanceof TimeoutException));
    return error == null || isCallers ? Outcome.unknown() : Outcome.broken();
  }

  private boolean isTriedAgain(Throwable error, Outcome outcome) {
    return error instanceof NotPassedException
        || isOvertaken
        || retries.isAllowed(
            outcome, isBegun() ? Optional.of(NotRetried.BEGUN) : obstacle(outcome));
  }

  private Optional<NotRetried> obstacle(Outcome outcome) {
    if (!outcome.isUnsent() && !safety.isSafe(upstream().sending())) {
      return Optional.of(NotRetried.UNSAFE);
    }
    if (!isReplayable()) {
      return Optional.of(NotRetried.BODY);
    }
    if (request.response().headWritten()) {
      return Optional.of(NotRetried.BEGUN);
    }
    return request.response().closed() ? Optional.of(NotRetried.CANCELLED) : Optional.empty();
  }

  private boolean isRepeatable() {
    return isReplayable() && safety.isSafe(upstream().sending());
  }

  // A body that was read for its cost may be too long to send again.
  private boolean isReplayable() {
    long most = upstream().retry().maxBodyBytes();
    return body.map(whole -> whole.length() <= most).orElseGet(this::hasNoBody);
  }

  private boolean hasNoBody() {
    return request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null
        && Optional.ofNullable(request.getHeader(HttpHeaders.CONTENT_LENGTH))
            .filter(length -> !length.equals("0"))
            .isEmpty();
  }
}
