package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.weir.client.answer.AnswerStatus;
import io.weir.core.policy.Upstream;
import io.weir.node.answer.RefusedException;
import io.weir.node.hold.Execution;
import io.weir.node.upstream.NextStep.Again;
import io.weir.node.upstream.NextStep.Attempted;
import io.weir.node.upstream.NextStep.Fail;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one request: it is sent to one server after another until one has answered, or no other attempt is
 * allowed. Mutable; owned by the request's event loop.
 *
 * @param <T> the answer
 */
final class Attempts<T> {
  private static final int FIRST_FAILED_STATUS = 400;

  private final Vertx vertx;
  private final Connections connections;
  private final Course course;
  private final OutgoingRequest request;
  private final Delivery<T> delivery;
  private final Repetition repetition;
  private Attempted attempted = Attempted.NONE;
  private boolean wasSent;
  private boolean mayHaveRun;
  private int status;
  private boolean hasFailed;
  private boolean isWaiting;
  private Upstream server;

  Attempts(
      Vertx vertx,
      Connections connections,
      Course course,
      OutgoingRequest request,
      Delivery<T> delivery,
      boolean isDeclaredSafe) {
    this.vertx = vertx;
    this.connections = connections;
    this.course = course;
    this.request = request;
    this.delivery = delivery;
    this.server = request.target().to().settings();
    this.repetition = new Repetition(
        course, delivery, new RepeatSafety(request, delivery.body(), isDeclaredSafe));
  }

  /**
   * Sends the request.
   *
   * @return fails with {@link RefusedException}, {@link GivenUpException}, {@link NotSentException} or the I/O error
   *     of the last attempt
   */
  Future<T> run() {
    isWaiting = true;
    return Future.succeededFuture()
        .compose(begun -> slot())
        .compose(slot -> new Attempt(slot).run(), this::noSlot);
  }

  private Future<SendSlot> slot() {
    long queueMillis = course.to().queueMillis();
    if (queueMillis > 0) {
      connections.require(request); // else the turn would be in vain
    }
    long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(queueMillis);
    return course.next(
        repetition::isPossible, Math.min(repetition.lastMomentNanos(), patience), delivery::isGone);
  }

  /** Whether a server may have seen the request. */
  boolean wasSent() {
    return wasSent;
  }

  /** How far the request came. */
  Execution execution() {
    return new Execution(mayHaveRun, status, hasFailed);
  }

  /** The server of the last turn. */
  Upstream server() {
    return server;
  }

  /** Whether it has no turn. */
  boolean isWaiting() {
    return isWaiting;
  }

  private Future<T> noSlot(Throwable error) {
    boolean isRefused = error instanceof RefusedException && !delivery.isGone();
    if (isRefused) {
      course.refused(((RefusedException) error).problem().code());
    } else {
      course.cancelled();
    }
    return Future.failedFuture(error);
  }

  // Sending again is charged to the budget here.
  private NextStep after(AttemptOutcome outcome) {
    Optional<NotRetried> obstacle =
        outcome.mayBeSentAgain() ? repetition.obstacle(outcome) : Optional.empty();
    boolean hasAnother = !outcome.needsAnother() || course.hasAnother();
    NextStep next =
        NextStep.after(outcome, attempted, request.attempts(course.to()), obstacle, hasAnother);
    boolean isPaid = !(next instanceof Again again) || again.waits().isEmpty() || course.tryPay();
    return isPaid ? next : new Fail(NotRetried.BUDGET);
  }

  private Future<T> sendAgain(Again again) {
    long wait =
        again.waitMillis(course.to().retry(), ThreadLocalRandom.current().nextDouble());
    course.again(wait);
    return vertx.timer(Math.max(1, wait), TimeUnit.MILLISECONDS).compose(due -> run());
  }

  /** One attempt. Mutable; its answer is judged before it ends. */
  private final class Attempt implements AnswerFilter {
    private final SendSlot slot;
    private long sentNanos;
    private long answeredNanos;
    private @Nullable AttemptOutcome lastOutcome;
    private @Nullable NextStep next;
    private boolean isOvertaken;

    Attempt(SendSlot slot) {
      this.slot = slot;
      attempted = attempted.and(slot.isFree());
      isWaiting = false;
      status = 0;
      hasFailed = false;
      server = slot.server();
    }

    Future<T> run() {
      return Future.succeededFuture()
          .compose(begun -> connections.open(request, slot))
          .compose(sending -> {
            sentNanos = System.nanoTime();
            long timer = watch();
            return delivery.send(sending.request(), slot, this).onComplete(end -> {
              vertx.cancelTimer(timer);
              sending.portion().free();
            });
          })
          .transform(done -> done.succeeded() ? answered(done.result()) : failed(done.cause()));
    }

    // Give up the attempt if the request may be sent again: another server may answer sooner.
    private long watch() {
      long millis = course.to().retry().attemptMillis();
      return millis == 0
          ? -1
          : vertx.setTimer(millis, late -> {
            if (delivery.isAnswering()) {
              return;
            }
            NextStep instead = after(AttemptOutcome.broken());
            if (instead instanceof Again) {
              next = instead;
              isOvertaken = true;
              delivery.giveUp();
            }
          });
    }

    @Override
    public boolean readsBody(int status) {
      return slot.readsBody(status);
    }

    // A failed answer is withheld while another attempt is allowed.
    @Override
    public boolean passes(int answered, MultiMap headers, Optional<Buffer> body) {
      answeredNanos = System.nanoTime();
      status = answered;
      lastOutcome = slot.judge(answered, headers, body);
      next = after(lastOutcome);
      return !(next instanceof Again);
    }

    private Future<T> answered(T answer) {
      wasSent = true;
      AttemptOutcome outcome = lastOutcome == null ? AttemptOutcome.unknown() : lastOutcome;
      mayHaveRun |= isExecuted(outcome);
      hasFailed = status >= FIRST_FAILED_STATUS;
      slot.end(outcome, tookNanos());
      if (next instanceof Fail fail) {
        course.failed(fail.why());
      } else {
        course.answered();
      }
      return Future.succeededFuture(answer);
    }

    private Future<T> failed(Throwable error) {
      wasSent |= sentNanos > 0 && !(error instanceof NotSentException);
      AttemptOutcome outcome = outcome(error);
      mayHaveRun |= sentNanos > 0 && isExecuted(outcome);
      hasFailed = status >= FIRST_FAILED_STATUS || isOfServer(error);
      slot.end(outcome, tookNanos());
      boolean isDecided = error instanceof NotPassedException || isOvertaken;
      NextStep then = isDecided && next != null ? next : after(outcome);
      if (then instanceof Again again) {
        return sendAgain(again);
      }
      if (then instanceof Fail fail) {
        course.failed(fail.why());
      } else if (outcome.isAnswer() || outcome.health() != AttemptOutcome.Health.NEUTRAL) {
        course.answered();
      } else {
        course.cancelled();
      }
      return Future.failedFuture(error);
    }

    private boolean isExecuted(AttemptOutcome outcome) {
      return !outcome.isUnsent() && !AnswerStatus.isNotExecuted(status);
    }

    private boolean isOfServer(Throwable error) {
      return isOvertaken
          || error instanceof NotSentException
          || delivery.cause(error, answeredNanos > 0) == Delivery.Cause.SERVER;
    }

    private AttemptOutcome outcome(Throwable error) {
      AttemptOutcome answer = lastOutcome;
      // A wait that the server named counts, whatever happens to the rest of the answer.
      if (answer != null && (error instanceof NotPassedException || answer.coolMillis() > 0)) {
        return answer;
      }
      if (isOvertaken) {
        return slot.overtaken(sentNanos);
      }
      if (error instanceof NotSentException) {
        return delivery.isGone() ? AttemptOutcome.unknown() : AttemptOutcome.notSent();
      }
      if (sentNanos == 0) {
        return AttemptOutcome.unknown();
      }
      return switch (delivery.cause(error, answeredNanos > 0)) {
        case SERVER -> AttemptOutcome.broken();
        case CALLER -> AttemptOutcome.unknown();
        case HANG_UP -> slot.hungUp(sentNanos);
      };
    }

    // Measured until the answer begins: the caller's speed says nothing about the server.
    private long tookNanos() {
      return answeredNanos > 0 && delivery.isTimed() ? answeredNanos - sentNanos : 0;
    }
  }
}
