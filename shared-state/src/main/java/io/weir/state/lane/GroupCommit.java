package io.weir.state.lane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.connection.Functions;
import io.weir.state.connection.Link;
import io.weir.state.wire.Answers;
import io.weir.state.wire.Batch;
import io.weir.state.wire.Lane;
import io.weir.state.wire.PendingCharge;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends charges to Redis in one lane, grouped if they arrive together. While few calls are in flight, a charge is sent
 * at once ({@link OpenCalls}); charges that arrive meanwhile gather and travel in the next call. There is no timer. The
 * idea is the group commit of databases (Gawlick and Kinkade, Varieties of Concurrency Control in IMS/VS Fast Path, 1985).
 *
 * <p>Charges of one event loop and subject are sent in the order in which they were asked; one that a call leaves
 * undecided, because it has done enough, is the next to be sent, but others under way overtake it. A failed call also
 * fails the charges gathered behind it: none of them would be answered in time. Safe for use by many threads; never
 * blocks. If more charges wait than one call carries, the tenants take turns. All state but the queue is used by one
 * event loop alone.
 */
final class GroupCommit {
  private static final long MIGRATING_MILLIS = 5;

  private final Link link;
  private final EventLoop loop;
  private final Lane lane;
  private final Functions functions;
  private final byte[] function;
  private final byte[] sha1;
  private final long timeoutNanos;
  private final AnswerReader reader;
  private final CallObserver observer;
  private final RedisClock clock;
  private final WaitingCharges waiting;
  private final AtomicBoolean isScheduled = new AtomicBoolean();
  private final Batches batches;
  private final OpenCalls calls;
  private boolean isScriptUnknown;

  /** @param reader receives the answers, on the event loop of the link */
  GroupCommit(PartLink part, Lane lane, AnswerReader reader) {
    this.link = part.link();
    this.loop = link.eventLoop();
    this.lane = lane;
    this.waiting = new WaitingCharges(lane);
    this.calls = new OpenCalls(lane);
    this.reader = reader;
    this.observer = part.observer();
    this.function = lane.script().function().getBytes(UTF_8);
    this.sha1 = lane.script().sha1().getBytes(UTF_8);
    this.functions = part.link().functions();
    this.timeoutNanos = part.timeout().toNanos();
    this.clock = new RedisClock(timeoutNanos);
    this.batches = new Batches(part, lane, waiting, clock, timeoutNanos);
  }

  /** Asks; the charge completes with the answer, or with a {@link StoreUnavailableException}. */
  void ask(PendingCharge pending) {
    if (waiting.add(pending) && isScheduled.compareAndSet(false, true)) {
      schedule();
    }
  }

  // As a task of its own: other charges of the same turn of the event loop join the call.
  private void schedule() {
    try {
      loop.execute(this::commit);
    } catch (RejectedExecutionException e) {
      isScheduled.set(false);
      failWaiting(link.unavailable(e));
    }
  }

  private void commit() {
    isScheduled.set(false);
    while (!isScriptUnknown && calls.mayFollow(waiting.count())) {
      Batch batch = batches.next();
      if (batch.isEmpty()) {
        batches.reuse(batch);
        return;
      }
      calls.sent();
      send(batch, functions.areUsed() ? CommandType.FCALL : CommandType.EVALSHA);
    }
  }

  private void send(Batch batch, CommandType type) {
    long sent = System.nanoTime();
    AsyncCommand<String, String, Answers> command = new AsyncCommand<>(new Command<>(
        type,
        new Answers(),
        batch.argumentsFor(nameFor(type), lane.isRehearsal() ? 0 : clock.notAfter(sent))));
    link.send(command, (answers, error) -> {
      if (loop.inEventLoop()) {
        ended(batch, type, sent, answers, error);
        return;
      }
      try {
        loop.execute(() -> ended(batch, type, sent, answers, error));
      } catch (RejectedExecutionException e) {
        fail(batch, link.unavailable(e));
        failWaiting(link.unavailable(e));
      }
    });
  }

  private void ended(
      Batch batch,
      CommandType type,
      long sentNanos,
      @Nullable Answers answers,
      @Nullable Throwable error) {
    if (error != null && isSentAgain(batch, type, error)) {
      // Charges asked from now on do not overtake those that are sent again.
      isScriptUnknown = true;
      return;
    }
    if (error != null && Faults.isMigrating(error) && isInTime(batch)) {
      var unused = loop.schedule(() -> send(batch, type), MIGRATING_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    if (answers != null && wasRefusedTooEarly(batch, sentNanos, answers)) {
      send(batch, type);
      return;
    }
    if (answers == null) {
      calls.failed();
      link.failed(requireNonNull(error));
    } else {
      calls.answered(sentNanos, System.nanoTime());
      link.answered();
    }
    if (calls.areNone()) {
      isScriptUnknown = false;
    }
    observer.ended(
        answers == null
            ? !link.fault(requireNonNull(error)).isOutage()
            : answers.kind() != Answers.Type.END);
    if (answers != null) {
      answer(batch, answers);
    } else {
      StoreUnavailableException unavailable = link.unavailable(requireNonNull(error));
      fail(batch, unavailable);
      // If Redis answered, even with an error, the waiting charges are sent.
      if (!(error instanceof RedisCommandExecutionException)) {
        failWaiting(unavailable);
      }
    }
    if (isScheduled.compareAndSet(false, true)) {
      schedule();
    }
  }

  private byte[] nameFor(CommandType type) {
    return switch (type) {
      case FCALL -> function;
      case EVALSHA -> sha1;
      default -> lane.script().source().getBytes(UTF_8);
    };
  }

  // Sends a batch again if Redis does not know the function or the script.
  private boolean isSentAgain(Batch batch, CommandType type, Throwable error) {
    if (type == CommandType.FCALL && Faults.isUnknownFunction(error) && isInTime(batch)) {
      var unused = functions
          .load(link, lane.script().library())
          .whenComplete((loaded, failed) -> afterLoading(batch, failed));
      return true;
    }
    if (type == CommandType.FCALL && Faults.isWithoutFunctions(error)) {
      functions.refused(error);
      send(batch, CommandType.EVALSHA);
      return true;
    }
    if (type == CommandType.EVALSHA && Faults.isUnknownScript(error)) {
      send(batch, CommandType.EVAL);
      return true;
    }
    return false;
  }

  private void afterLoading(Batch batch, @Nullable Throwable failed) {
    try {
      loop.execute(() -> send(batch, failed == null ? CommandType.FCALL : CommandType.EVAL));
    } catch (RejectedExecutionException e) {
      fail(batch, link.unavailable(e));
      failWaiting(link.unavailable(e));
    }
  }

  // The first of a batch was asked before the others.
  private boolean isInTime(Batch batch) {
    long asked = batch.entries().get(0).first().askedNanos();
    return System.nanoTime() - asked < timeoutNanos;
  }

  // Redis refused the batch as too late, but the charges still wait: its clock or this one's had
  // been changed. Sent once more with the new time, as nothing was taken.
  private boolean wasRefusedTooEarly(Batch batch, long sentNanos, Answers answers) {
    clock.learn(answers.clock(), sentNanos);
    return answers.kind() == Answers.Type.END
        && clock.isInTime(sentNanos)
        && batch.mayBeSentAgain();
  }

  private void answer(Batch batch, Answers answers) {
    try {
      long now = answers.clock();
      if (answers.kind() == Answers.Type.END) {
        fail(
            batch,
            new StoreUnavailableException(StoreFault.SLOW, "Redis came to it too late", null));
        return;
      }
      List<PendingCharge> undecided = new ArrayList<>();
      reader.answer(batch, now, answers, undecided::add);
      waiting.takeBack(undecided);
      batches.reuse(batch);
    } catch (RuntimeException e) {
      fail(
          batch,
          new StoreUnavailableException(
              StoreFault.DATA, "the answer of Redis was not understood: " + e, e));
    }
  }

  private static void fail(Batch batch, StoreUnavailableException unavailable) {
    batch.forEach(pending -> pending.completeExceptionally(unavailable));
  }

  // Charges that arrive during this call are not failed. If the event loop has ended, any thread
  // may run this.
  private synchronized void failWaiting(StoreUnavailableException unavailable) {
    for (int left = waiting.count(); left > 0; left--) {
      PendingCharge pending = waiting.next();
      if (pending == null) {
        return;
      }
      waiting.took(pending, 0);
      pending.completeExceptionally(unavailable);
    }
  }
}
