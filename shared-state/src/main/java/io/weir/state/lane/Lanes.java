package io.weir.state.lane;

import io.netty.channel.EventLoop;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.denial.DenialCache;
import io.weir.state.wire.Owner;
import io.weir.state.wire.PendingCharge;
import java.util.concurrent.RejectedExecutionException;

/**
 * The lanes of one connection to one part. Safe for use by many threads; its queued owners are used on its event loop.
 */
final class Lanes {
  private final EventLoop loop;
  private final QueuedOwners queued = new QueuedOwners();
  private final GroupCommit rates;
  private final GroupCommit kinds;
  private final GroupCommit joined;
  private final GroupCommit peek;

  Lanes(PartLink part, LaneSet lanes, DenialCache denials) {
    this.loop = part.link().eventLoop();
    AnswerReader reader = new AnswerReader(denials, queued, this::askAgain);
    this.rates = new GroupCommit(part, lanes.rates(), reader);
    this.kinds = new GroupCommit(part, lanes.kinds(), reader);
    this.joined = new GroupCommit(
        part, lanes.joined(), new AnswerReader(denials, new QueuedOwners(), this::joinAgain));
    this.peek = new GroupCommit(
        part, lanes.peek(), new AnswerReader(denials, new QueuedOwners(), this::peekAgain));
  }

  /** Whether charges asked by this thread are sent and answered by it. */
  boolean isHere() {
    return loop.inEventLoop();
  }

  /** Asks. */
  void charge(PendingCharge pending) {
    if (!loop.inEventLoop()) {
      askThere(pending);
      return;
    }
    pending.expectQueue(queued.contains(Owner.of(pending.charge()), pending.askedNanos()));
    if (pending.charge().isMixed()) {
      kinds.ask(pending);
    } else {
      rates.ask(pending);
    }
  }

  // The periods sent with the charge were those of another time; the answer contains Redis's time.
  private void askAgain(PendingCharge pending) {
    if (pending.mayBeAskedAgain()) {
      charge(pending);
    }
  }

  private void peekAgain(PendingCharge pending) {
    if (pending.mayBeAskedAgain()) {
      peek(pending);
    }
  }

  /** Asks for charges that are decided as one; the first has the others as its companions. */
  void join(PendingCharge first) {
    joined.ask(first);
  }

  private void joinAgain(PendingCharge pending) {
    if (!pending.companions().isEmpty() && pending.mayBeAskedAgain()) {
      join(pending);
    }
  }

  void peek(PendingCharge pending) {
    peek.ask(pending);
  }

  private void askThere(PendingCharge pending) {
    try {
      loop.execute(() -> charge(pending));
    } catch (RejectedExecutionException e) {
      pending.completeExceptionally(new StoreUnavailableException(
          StoreFault.UNREACHABLE, "Redis did not answer: " + Faults.message(e), e));
    }
  }
}
