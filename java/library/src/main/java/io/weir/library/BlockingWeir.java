package io.weir.library;

import static java.util.Objects.requireNonNull;

import io.weir.core.decision.Decision;
import io.weir.core.throttle.Failures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * {@link Weir} for threads that may be blocked: each call returns the answer, or throws what its stage would fail with.
 * No lock is held while a call waits, so a virtual thread is not pinned. Never call it on an event loop. Safe for use by
 * many threads.
 */
public final class BlockingWeir {
  private final Weir weir;

  BlockingWeir(Weir weir) {
    this.weir = weir;
  }

  /** See {@link Weir#tryAcquire(String, String)}. */
  public Decision tryAcquire(String subject, String operation) {
    return tryAcquire(AcquireRequest.of(subject, operation));
  }

  /** See {@link Weir#tryAcquire(String, String, long)}. */
  public Decision tryAcquire(String subject, String operation, long cost) {
    return tryAcquire(AcquireRequest.of(subject, operation).cost(cost));
  }

  /** See {@link Weir#tryAcquire(AcquireRequest)}. */
  public Decision tryAcquire(AcquireRequest request) {
    return now(weir.decided(request));
  }

  /** See {@link Weir#acquire}; a caller that is interrupted waits no more. */
  public Decision acquire(AcquireRequest request, Duration atMost) throws InterruptedException {
    CompletableFuture<Decision> waiting = weir.acquired(request, atMost);
    try {
      return waiting.get();
    } catch (InterruptedException e) {
      waiting.cancel(false);
      throw e;
    } catch (ExecutionException e) {
      throw unchecked(requireNonNull(e.getCause()));
    }
  }

  /** See {@link Weir#peek}. */
  public Decision peek(AcquireRequest request) {
    return now(weir.peeked(request));
  }

  /** See {@link Weir#enter}. */
  public Hold enter(AcquireRequest request) {
    return now(weir.entered(request, false));
  }

  /** See {@link Weir#reserve}. */
  public Hold reserve(AcquireRequest request) {
    return now(weir.entered(request, true));
  }

  // It completes on the thread of the answer: no pool of the program, which may be busy, is needed.
  private static <T> T now(CompletionStage<T> answer) {
    try {
      return answer.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw unchecked(e);
    }
  }

  private static RuntimeException unchecked(Throwable error) {
    Throwable cause = Failures.cause(error);
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }
}
