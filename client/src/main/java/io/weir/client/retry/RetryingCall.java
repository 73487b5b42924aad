package io.weir.client.retry;

import io.github.resilience4j.retry.Retry;
import io.weir.client.retry.CallOutcome.Standing;
import io.weir.client.retry.RetryLaterException.Reason;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call in progress. Mutable; its attempts run one after another: the end of one starts the next. */
final class RetryingCall<T> {
  private static final Logger LOG = LoggerFactory.getLogger(Retryer.class);

  private final Call<T> call;
  private final RetryOptions options;
  private final Upstream upstream;
  private final Retry retry;
  private final Optional<Deadlines> deadlines;
  private final Timekeeper time;
  private final RetryListener listener;
  private final long begunNanos;
  private final Object attemptLock = new Object();
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private volatile Runnable stop = RetryingCall::nothing;
  private volatile Optional<String> ticket = Optional.empty();
  private Retry.AsyncContext<CallOutcome> attempts;
  private int sent;
  private int steps;
  private int stoppable;

  /** The clock of all calls, and the listener to them. */
  record Watch(Timekeeper time, RetryListener listener) {}

  RetryingCall(
      Call<T> call,
      Upstream upstream,
      RetryOptions options,
      Retry retry,
      Optional<Deadlines> deadlines,
      Watch watch) {
    this.call = call;
    this.options = options;
    this.upstream = upstream;
    this.retry = retry;
    this.attempts = retry.asyncContext();
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

  private Next next(CallOutcome outcome) {
    if (!options.enabled()) {
      return Next.ANSWER;
    }
    if (outcome.isRetryable() && !call.isReplayable()) {
      exhausted(outcome, "its body cannot be sent again");
      return Next.ANSWER;
    }
    long delay = attempts.onResult(outcome);
    if (delay < 0) {
      if (outcome.isRetryable()) {
        exhausted(outcome, "no attempt is left");
      }
      return Next.ANSWER;
    }
    Duration wait = Duration.ofMillis(delay);
    Optional<RetryLaterException> tooLong = tooLong(outcome, wait);
    if (tooLong.isPresent()) {
      exhausted(outcome, "it would have to wait %d ms".formatted(delay));
      return new Next(Optional.empty(), tooLong);
    }
    if (outcome.namedMillis().isEmpty() && !upstream.tryPay()) {
      exhausted(outcome, "the budget of retries is spent");
      return Next.ANSWER;
    }
    LOG.warn(
        "{}: {}; again in {} ms, as attempt {} of {}",
        call.name(),
        outcome.reason(),
        delay,
        sent + 1,
        options.attempts());
    listener.retrying(upstream.name(), outcome.reason(), wait);
    outcome.ticket().ifPresent(made -> ticket = Optional.of(made));
    return new Next(Optional.of(wait), Optional.empty());
  }

  private void exhausted(CallOutcome outcome, String why) {
    LOG.warn("{}: {}; given up after {} attempts: {}", call.name(), outcome.reason(), sent, why);
    listener.exhausted(upstream.name(), outcome.reason());
  }

  private Optional<RetryLaterException> tooLong(CallOutcome outcome, Duration wait) {
    if (wait.compareTo(options.maxWait()) > 0) {
      return Optional.of(later(outcome, wait, Reason.WAIT_TOO_LONG));
    }
    Duration end = wait.plusNanos(time.nanoTime() - begunNanos);
    return options
        .deadline()
        .filter(deadline -> end.compareTo(deadline) > 0)
        .map(deadline -> later(outcome, wait, Reason.PAST_DEADLINE));
  }

  private RetryLaterException later(CallOutcome outcome, Duration wait, Reason reason) {
    String message = "%s: %s; it may be tried again in %d ms, which is %s"
        .formatted(
            call.name(),
            outcome.reason(),
            wait.toMillis(),
            reason == Reason.WAIT_TOO_LONG ? "more than maxWait" : "after the call's deadline");
    return new RetryLaterException(message, reason, wait);
  }

  /** The step after an attempt: another attempt after a wait, giving up, or the answer. */
  private record Next(Optional<Duration> pause, Optional<RetryLaterException> later) {
    static final Next ANSWER = new Next(Optional.empty(), Optional.empty());

    boolean isAnswer() {
      return pause.isEmpty() && later.isEmpty();
    }
  }

  /** One attempt. Its head is processed before it ends. */
  private final class Sending implements Attempt {
    private final Trial permit;
    private final int number;
    private final Optional<String> shown = ticket;
    private volatile long heardNanos;
    private volatile @Nullable Next next;

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
      attempts = retry.asyncContext();
      sent = 1;
      ticket = Optional.empty(); // it was for the work that is done
    }

    @Override
    public void endsBy(Runnable how) {
      stopBy(number, how);
    }

    @Override
    public boolean isAnswer(int status, Headers headers) {
      return heard(CallOutcome.of(status, headers, time.now(), call.isRepeatable()))
          .isAnswer();
    }

    void ended(@Nullable T value, @Nullable Throwable error) {
      Throwable failure = error instanceof CompletionException && error.getCause() != null
          ? error.getCause()
          : error;
      try {
        Next decided = next;
        if (decided == null) {
          decided = failure == null ? well() : heard(CallOutcome.of(failure, call));
        }
        follow(decided, value, failure);
      } catch (Throwable e) { // from the HTTP client: the call must end
        permit.settle(Standing.UNKNOWN);
        result.completeExceptionally(e);
      }
    }

    // For a call without heads.
    private Next well() {
      permit.settle(Standing.WELL);
      return Next.ANSWER;
    }

    private Next heard(CallOutcome outcome) {
      heardNanos = time.nanoTime();
      boolean isGivenUp = result.isDone();
      permit.settle(isGivenUp ? Standing.UNKNOWN : outcome.standing());
      Next decided = isGivenUp ? Next.ANSWER : next(outcome);
      next = decided;
      return decided;
    }

    @SuppressWarnings("NullAway") // an answer may be null, if the sender's type allows it
    private void follow(Next decided, @Nullable T value, @Nullable Throwable failure) {
      if (decided.pause().isPresent()) {
        long left = decided.pause().get().toNanos() - (time.nanoTime() - heardNanos);
        int pause = ++steps;
        stopBy(pause, time.after(Duration.ofNanos(Math.max(0, left)), RetryingCall.this::send));
      } else if (decided.later().isPresent()) {
        result.completeExceptionally(decided.later().get());
      } else if (failure != null) {
        result.completeExceptionally(failure);
      } else {
        result.complete(value);
      }
    }
  }
}
