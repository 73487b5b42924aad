package io.weir.node.gateway;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Asked;
import io.weir.node.answer.RefusedException;
import io.weir.node.gateway.Forwarder.NotSentException;
import io.weir.node.gateway.ProviderForwarder.Parts;
import io.weir.node.provider.Outcome;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.node.provider.RetryBudget;
import io.weir.node.provider.Wish;
import io.weir.upstream.Provider;
import io.weir.upstream.Providers;
import io.weir.upstream.Sending;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A request whose body is there, sent to one provider after another until one has answered, or none is left. Mutable; owned
 * by its event loop.
 *
 * @param <T> a whole answer
 */
public final class ProviderAttempts<T> {
  private final Parts node;
  private UsableProviders usable;
  private final RetryBudget budget;
  private final Whole<T> request;
  private final List<String> before = new ArrayList<>();
  private boolean wasSent;

  ProviderAttempts(Parts node, RetryBudget budget, Whole<T> request) {
    this.node = node;
    this.usable = node.usables().of(request.asked().providers().orElseThrow());
    this.budget = budget;
    this.request = request;
  }

  /**
   * A request whose body is there.
   *
   * @param isRepeatable whether it may be sent again where a provider may have acted upon it
   * @param deadlineNanos until when it may take, of {@link System#nanoTime}
   * @param isGone whether nobody waits for it any more
   * @param exchange sends it, reads the answer, and frees the share
   * @param outcome what an answer says of its provider
   */
  public record Whole<T>(
      Asked asked,
      boolean isRepeatable,
      long deadlineNanos,
      BooleanSupplier isGone,
      Function<Forwarder.Sending, Future<T>> exchange,
      Function<T, Outcome> outcome) {}

  Future<T> attempt() {
    return Future.succeededFuture().compose(begun -> {
      long patience = TimeUnit.MILLISECONDS.toNanos(usable.upstream().bounds().queueMillis());
      long deadline = Math.min(lastMomentNanos(), System.nanoTime() + patience);
      return node.gate()
          .enter(() -> wish(deadline), true)
          .recover(error -> Future.failedFuture(notBegun(error)))
          .compose(this::send);
    });
  }

  // Where there is no connection for it, it takes no key slot either.
  private Wish wish(long deadline) {
    Asked asked = request.asked();
    node.forwarder().reserve(asked).free();
    usable = node.usables().now(usable.upstream().name());
    usable.refuseKeyless(asked);
    return new Wish(
        usable.upstream(),
        asked.subject().id(),
        asked.subject().tenant(),
        asked.group(),
        before,
        deadline,
        request.isGone());
  }

  // An earlier provider may have acted upon the request: then it was sent, even if this attempt was
  // not.
  private Throwable notBegun(Throwable error) {
    if (wasSent) {
      return new IllegalStateException("no other provider took it", error);
    }
    boolean isKnown = error instanceof RefusedException || error instanceof NotSentException;
    return isKnown ? error : new NotSentException(error);
  }

  // Later it could not be answered in time.
  private long lastMomentNanos() {
    Sending sending = usable.upstream().sending();
    return request.deadlineNanos()
        - TimeUnit.MILLISECONDS.toNanos(
            (long) sending.connectTimeoutMillis() + sending.timeoutMillis());
  }

  private Future<T> send(Entered entered) {
    Provider provider = usable.upstream().named(entered.provider()).orElseThrow();
    Asked to = request.asked().to(Admission.upstream(usable.upstream(), provider));
    before.add(entered.place());
    long began = System.nanoTime();
    AtomicBoolean isSent = new AtomicBoolean();
    return Future.succeededFuture()
        .compose(
            begun -> node.forwarder().open(to, usable.headers(node.keys(), to, provider, entered)))
        .compose(sending -> {
          isSent.set(true);
          return request.exchange().apply(sending);
        })
        .transform(done -> {
          wasSent |= isSent.get();
          Outcome outcome = outcome(done);
          Future<Boolean> unused =
              node.lessons().learn(entered, outcome, to.group(), System.nanoTime() - began);
          if (mayTryAgain(outcome) && budget.spend()) {
            return again();
          }
          if (before.size() > 1 && outcome.mayBeSentAgain()) {
            node.meters().exhausted(usable.upstream().name());
          }
          return done.succeeded()
              ? Future.succeededFuture(done.result())
              : Future.failedFuture(isSent.get() ? done.cause() : notBegun(done.cause()));
        });
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

  private boolean mayTryAgain(Outcome outcome) {
    return outcome.mayBeSentAgain()
        && (outcome.isUnsent() || request.isRepeatable())
        && before.size() < request.asked().attempts(usable.upstream())
        && (outcome.coolMillis() == 0 || usable.hasAnother(request.asked(), before))
        && System.nanoTime() < lastMomentNanos()
        && !request.isGone().getAsBoolean();
  }

  private Future<T> again() {
    Providers upstream = usable.upstream();
    long wait = upstream
        .retry()
        .waitMillis(before.size() - 1, ThreadLocalRandom.current().nextDouble());
    node.meters().again(upstream.name(), wait);
    return node.vertx().timer(Math.max(1, wait), TimeUnit.MILLISECONDS).compose(due -> attempt());
  }
}
