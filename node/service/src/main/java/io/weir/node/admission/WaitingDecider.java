package io.weir.node.admission;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admission.Witness.Question;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.WaitingRoom;
import io.weir.node.intake.WaitingRoom.Caller;
import io.weir.state.wire.RandomId;
import java.util.Optional;

/**
 * Decides for callers that may wait: one that is denied is held until its slot, and decided again with its ticket.
 * Bounded for each key, each tenant and the node, together with the requests that the gateway holds. Owned by one event
 * loop.
 */
public final class WaitingDecider {
  /** The longest wait. */
  public static final long MAX_WAIT_MILLIS = 60_000;

  private static final long MICROS_PER_MILLI = 1000;

  private final Context context;
  private final Decider decider;
  private final WaitingRoom waiting;
  private final Bulkhead held;

  /**
   * For one event loop, that of {@code context}.
   *
   * @param held requests that may be held
   */
  public WaitingDecider(Context context, Decider decider, WaitingRoom waiting, Bulkhead held) {
    this.context = context;
    this.decider = decider;
    this.waiting = waiting;
    this.held = held;
  }

  /** Decides for callers that are answered at once. */
  public Decider decider() {
    return decider;
  }

  /**
   * Takes the cost, at least what the caller accepts, or nothing. A caller is denied at once if its slot is later than it waits, if it has an estimate
   * without a ticket, or if too many wait already.
   *
   * @param ticket the ticket that the caller shows or asks for
   * @param waitMillis how long the caller waits at most; 0 for not at all
   * @return completes with the decision; fails with {@link StoreUnavailableException} or {@link
   *     UnknownSubjectException}, and if the caller hangs up while it waits
   */
  public Future<Decision> decide(
      Question question, TicketRequest ticket, long waitMillis, Caller caller) {
    Optional<Portion> place =
        waitMillis > 0 && waiting.isOpen() ? held.tryTake(question.subject(), 1) : Optional.empty();
    if (place.isEmpty()) {
      return decider.decide(context, question, ticket);
    }
    Attempt first = new Attempt(question, within(waitMillis, ticket), waitMillis, caller);
    return decide(first).onComplete(done -> place.get().free());
  }

  // A caller that wants no ticket gets one for the node alone, if its wait is short enough.
  private static TicketRequest within(long waitMillis, TicketRequest ticket) {
    return ticket.isNone()
        ? new TicketRequest(Optional.empty(), RandomId::next, waitMillis * MICROS_PER_MILLI)
        : ticket;
  }

  private Future<Decision> decide(Attempt attempt) {
    return decider
        .consider(context, attempt.question(), attempt.ticket(), limited -> Optional.empty())
        .compose(decision -> decision instanceof Denied denied && mayWait(denied, attempt)
            ? hold(denied, attempt)
            : answered(decision, attempt));
  }

  private boolean mayWait(Denied denied, Attempt attempt) {
    return denied.ticket().isPresent()
        && waitMillis(denied) <= attempt.leftMillis()
        && waiting.isOpen();
  }

  private Future<Decision> hold(Denied denied, Attempt attempt) {
    long wait = waitMillis(denied);
    return waiting
        .hold(attempt.caller(), wait)
        .compose(due -> due ? decide(attempt.again(denied, wait)) : answered(denied, attempt));
  }

  private Future<Decision> answered(Decision decision, Attempt attempt) {
    return Future.succeededFuture(decider.answered(attempt.question(), decision));
  }

  private static long waitMillis(Denied denied) {
    return Math.max(1, (denied.retryAfterMicros() + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI);
  }

  /** @param leftMillis how long the caller still waits */
  private record Attempt(Question question, TicketRequest ticket, long leftMillis, Caller caller) {
    Attempt again(Denied denied, long waited) {
      return new Attempt(
          question,
          TicketRequest.wanted(denied.ticket(), RandomId::next),
          leftMillis - waited,
          caller);
    }
  }
}
