package io.weir.node.gateway;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.core.upstream.Provider;
import io.weir.core.upstream.Sending;
import io.weir.node.admission.Asked;
import io.weir.node.answer.RefusedException;
import io.weir.node.gateway.Forwarder.NotSentException;
import io.weir.node.gateway.ProviderForwarder.Parts;
import io.weir.node.metrics.ProviderMeters.NotRetried;
import io.weir.node.provider.GivenUpException;
import io.weir.node.provider.Outcome;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.node.provider.RetryBudget;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Sends a request whose body is there to one provider after another until one has answered, or none is left. Mutable;
 * owned by its event loop.
 *
 * @param <T> a whole answer
 */
public final class ProviderAttempts<T> {
  private final Parts node;
  private final Retries retries;
  private final Whole<T> request;
  private final RepeatSafety safety;
  private boolean wasSent;
  private boolean isOvertaken;

  ProviderAttempts(Parts node, RetryBudget budget, Whole<T> request) {
    this.node = node;
    this.retries = new Retries(node, request.asked(), budget);
    this.request = request;
    this.safety = new RepeatSafety(
        request.asked(), request.asked().request().headers(), Optional.of(request.body()));
  }

  /**
   * A request whose body is there.
   *
   * @param isRepeatable whether its caller declares that repeating it is safe
   * @param deadlineNanos the latest end, as of {@link System#nanoTime}
   * @param isGone whether its caller has hung up
   * @param exchange sends it, reads the answer, and frees the share
   * @param outcome the outcome of an answer for its provider
   */
  public record Whole<T>(
      Asked asked,
      Buffer body,
      boolean isRepeatable,
      long deadlineNanos,
      BooleanSupplier isGone,
      Function<Forwarder.Sending, Future<T>> exchange,
      Function<T, Outcome> outcome) {}

  Future<T> attempt() {
    return Future.succeededFuture().compose(begun -> {
      long patience = TimeUnit.MILLISECONDS.toNanos(retries.upstream().bounds().queueMillis());
      long deadline = Math.min(lastMomentNanos(), System.nanoTime() + patience);
      return node.gate()
          .enter(() -> retries.wish(this::isSafe, deadline, request.isGone()), true)
          .recover(error -> Future.failedFuture(notBegun(error)))
          .compose(this::send);
    });
  }

  private Throwable notBegun(Throwable error) {
    if (error instanceof GivenUpException) {
      retries.cancel();
    } else {
      retries.end(
          error instanceof RefusedException refused ? refused.problem().code() : "not_sent");
    }
    return told(error);
  }

  // An earlier provider may have executed the request: it counts as sent, even if this attempt did
  // not send it.
  private Throwable told(Throwable error) {
    if (wasSent) {
      return new IllegalStateException("no other provider took it", error);
    }
    boolean isKnown = error instanceof RefusedException || error instanceof NotSentException;
    return isKnown ? error : new NotSentException(error);
  }

  // An attempt that begins later could not be answered in time.
  private long lastMomentNanos() {
    Sending sending = retries.upstream().sending();
    long attemptMillis = retries.upstream().retry().attemptMillis();
    long longest = attemptMillis > 0 ? attemptMillis : sending.timeoutMillis();
    return request.deadlineNanos()
        - TimeUnit.MILLISECONDS.toNanos(sending.connectTimeoutMillis() + longest);
  }

  private Future<T> send(Entered entered) {
    Provider provider = retries.upstream().named(entered.provider()).orElseThrow();
    Asked to = retries.begin(entered, provider);
    long began = System.nanoTime();
    AtomicBoolean isSent = new AtomicBoolean();
    isOvertaken = false;
    return Future.succeededFuture()
        .compose(begun ->
            node.forwarder().open(to, retries.usable().headers(node.keys(), to, provider, entered)))
        .compose(sending -> {
          isSent.set(true);
          long timer = watch(sending);
          sending.request().response().onSuccess(begun -> node.vertx().cancelTimer(timer));
          return request
              .exchange()
              .apply(sending)
              .onComplete(end -> node.vertx().cancelTimer(timer));
        })
        .transform(done -> {
          wasSent |= isSent.get();
          Outcome outcome = isOvertaken ? node.lessons().overtaken(entered, began) : outcome(done);
          Future<Boolean> unused =
              node.lessons().learn(entered, outcome, to.group(), System.nanoTime() - began);
          if (isOvertaken || retries.isAllowed(outcome, obstacle(outcome))) {
            return retries.backOff().compose(due -> attempt());
          }
          retries.end(outcome);
          return done.succeeded()
              ? Future.succeededFuture(done.result())
              : Future.failedFuture(isSent.get() ? done.cause() : told(done.cause()));
        });
  }

  // Give up the attempt if the request may be sent again: another provider may answer sooner.
  private long watch(Forwarder.Sending sending) {
    long millis = retries.upstream().retry().attemptMillis();
    return millis == 0
        ? -1
        : node.vertx().setTimer(millis, late -> {
          Outcome silent = Outcome.broken();
          if (retries.isAllowed(silent, obstacle(silent))) {
            isOvertaken = true;
            sending.request().reset();
          }
        });
  }

  private boolean isSafe() {
    return request.isRepeatable() || safety.isSafe(retries.upstream().sending());
  }

  private Outcome outcome(AsyncResult<T> done) {
    if (done.succeeded()) {
      return request.outcome().apply(done.result());
    }
    if (done.cause() instanceof NotSentException) {
      return Outcome.notSent();
    }
    return done.cause() instanceof RefusedException ? Outcome.unknown() : Outcome.broken();
  }

  private Optional<NotRetried> obstacle(Outcome outcome) {
    if (!outcome.isUnsent() && !isSafe()) {
      return Optional.of(NotRetried.UNSAFE);
    }
    if (System.nanoTime() >= lastMomentNanos()) {
      return Optional.of(NotRetried.TIME);
    }
    return request.isGone().getAsBoolean() ? Optional.of(NotRetried.CANCELLED) : Optional.empty();
  }
}
