package io.weir.client.retry;

import io.weir.client.retry.CallOutcome.Standing;
import io.weir.client.retry.NextStep.Again;
import io.weir.client.retry.NextStep.Answer;
import io.weir.client.retry.NextStep.Attempted;
import io.weir.client.retry.NextStep.GiveUp;
import io.weir.client.retry.NextStep.Late;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call in progress. Mutable; its attempts run one after another: the end of one starts the next. */
final class RetryingCall<T> {
  private static final Logger LOG = LoggerFactory.getLogger(Retryer.class);

  private final Call<T> call;
  private final RetryOptions options;
  private final Upstream upstream;
  private final DoubleSupplier random;
  private final Optional<Deadlines> deadlines;
  private final Timekeeper time;
  private final RetryListener listener;
  private final long begunNanos;
  private final Object attemptLock = new Object();
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private volatile Runnable stop = RetryingCall::nothing;
  private volatile Optional<String> ticket = Optional.empty();
  private int sent;
  private int steps;
  private int stoppable;

  /** The clock of all calls, and the listener to them. */
  record Watch(Timekeeper time, RetryListener listener) {}

  RetryingCall(
      Call<T> call,
      Upstream upstream,
      RetryOptions options,
      DoubleSupplier random,
      Optional<Deadlines> deadlines,
      Watch watch) {
    this.call = call;
    this.options = options;
    this.upstream = upstream;
    this.random = random;
    this.deadlines = deadlines;
    this.time = watch.time();
    this.listener = watch.listener();
    this.begunNanos = time.nanoTime();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // they end with the returned future
  CompletableFuture<T> begin() {
    Optional<Deadlines.Entry> entry = deadlines.map(it -> it.add(this::expire));
    result.whenComplete((value, error) -> {
      entry.ifPresent(Deadlines.Entry::done);
      stop.run();
    });
    send();
    return result;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // an attempt reports its own end
  private void send() {
    if (result.isDone()) {
      return;
    }
    Trial permit;
    try {
      permit = upstream.enter();
    } catch (RetryLaterException e) {
      if (sent > 0) {
        listener.exhausted(upstream.name(), e.reason().name());
      }
      result.completeExceptionally(e);
      return;
    }
    sent++;
    Sending sending = new Sending(permit, ++steps);
    CompletableFuture<T> answer = sent(sending);
    stopBy(sending.number, () -> answer.cancel(true));
    answer.whenComplete(sending::ended);
  }

  // Whatever is thrown, the call must end.
  private CompletableFuture<T> sent(Sending sending) {
    try {
      return call.send(sending).toCompletableFuture();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // A cancel hook may register late; ignore it if a newer step has one.
  private void stopBy(int step, Runnable how) {
    synchronized (attemptLock) {
      if (step < stoppable) {
        return;
      }
      stoppable = step;
      stop = how;
    }
    if (result.isDone()) {
      how.run();
    }
  }

  private static void nothing() {}

  private void expire() {
    result.completeExceptionally(new HttpTimeoutException(
        "%s: no answer within %s".formatted(call.name(), options.deadline().orElseThrow())));
  }

  // A retry is charged to the budget here.
  private NextStep next(CallOutcome outcome) {
    Attempted attempted = new Attempted(
        sent,
        Duration.ofNanos(time.nanoTime() - begunNanos),
        outcome.isRetryable() && call.isReplayable());
    NextStep next = NextStep.after(outcome, attempted, options, random);
    boolean isPaid = !(next instanceof Again again) || !again.isCharged() || upstream.tryPay();
    return isPaid ? next : new GiveUp("the budget of retries is spent");
  }

  private void report(CallOutcome outcome, NextStep next) {
    if (next instanceof Again again) {
      LOG.warn(
          "{}: {}; again in {} ms, as attempt {} of {}",
          call.name(),
          outcome.detail(),
          again.pause().toMillis(),
          sent + 1,
          options.attempts());
      listener.retrying(upstream.name(), outcome.reason(), again.pause());
    } else if (next instanceof Late late) {
      exhausted(outcome, "it would have to wait %d ms".formatted(late.pause().toMillis()));
    } else if (next instanceof GiveUp givenUp) {
      exhausted(outcome, givenUp.why());
    }
  }

  private void exhausted(CallOutcome outcome, String why) {
    LOG.warn("{}: {}; given up after {} attempts: {}", call.name(), outcome.detail(), sent, why);
    listener.exhausted(upstream.name(), outcome.reason());
  }

  /** One attempt. Its head is processed before it ends. */
  private final class Sending implements Attempt {
    private final Trial permit;
    private final int number;
    private final Optional<String> shown = ticket;
    private volatile long answeredNanos;
    private volatile @Nullable NextStep next;

    Sending(Trial permit, int number) {
      this.permit = permit;
      this.number = number;
    }

    @Override
    public Optional<String> ticket() {
      return shown;
    }

    @Override
    public void advanced() {
      sent = 1;
      ticket = Optional.empty(); // it was for the work that is done
    }

    @Override
    public void endsBy(Runnable how) {
      stopBy(number, how);
    }

    @Override
    public boolean isAnswer(int status, Headers headers) {
      return judged(CallOutcome.of(status, headers, time.now(), call)).isAnswer();
    }

    void ended(@Nullable T value, @Nullable Throwable error) {
      Throwable failure = error instanceof CompletionException && error.getCause() != null
          ? error.getCause()
          : error;
      try {
        NextStep decided = next;
        if (decided == null) {
          decided = failure == null ? well() : judged(CallOutcome.of(failure, call));
        }
        follow(decided, value, failure);
      } catch (Throwable e) { // from the HTTP client: the call must end
        permit.settle(Standing.UNKNOWN);
        result.completeExceptionally(e);
      }
    }

    // For a call without heads.
    private NextStep well() {
      permit.settle(Standing.WELL);
      return new Answer();
    }

    private NextStep judged(CallOutcome outcome) {
      answeredNanos = time.nanoTime();
      boolean isGivenUp = result.isDone();
      permit.settle(isGivenUp ? Standing.UNKNOWN : outcome.standing());
      NextStep decided = isGivenUp ? new Answer() : next(outcome);
      report(outcome, decided);
      if (decided instanceof Again) {
        outcome.ticket().ifPresent(made -> ticket = Optional.of(made));
      }
      next = decided;
      return decided;
    }

    @SuppressWarnings("NullAway") // an answer may be null, if the sender's type allows it
    private void follow(NextStep decided, @Nullable T value, @Nullable Throwable failure) {
      if (decided instanceof Again again) {
        long left = again.pause().toNanos() - (time.nanoTime() - answeredNanos);
        int step = ++steps;
        stopBy(step, time.after(Duration.ofNanos(Math.max(0, left)), RetryingCall.this::send));
      } else if (decided instanceof Late late) {
        result.completeExceptionally(late.exception(call.name()));
      } else if (failure != null) {
        result.completeExceptionally(failure);
      } else {
        result.complete(value);
      }
    }
  }
}
