package io.weir.state.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import io.weir.bucket.Draw;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends charges to Redis, those together that come together. While few calls are in flight, a charge is sent at
 * once; what comes meanwhile gathers and travels in the next call. There is no timer: an idle store adds no
 * wait, a busy one shares each round trip among as many as have gathered. The idea is the group commit of
 * databases (Gawlick and Kinkade, Varieties of Concurrency Control in IMS/VS Fast Path, 1985).
 *
 * <p>Charges of one event loop are decided in the order in which they were asked. A call that fails takes along what has gathered
 * behind it: none of that would be answered in time. Safe for use by many threads; never blocks. All but the
 * queue is touched by one event loop alone, so that nothing can overtake anything on its way to the wire.
 */
final class GroupCommit {
  private static final int MAX_WAITING = 100_000;
  private static final int MAX_TERMS = 4096;

  private final StatefulRedisConnection<String, String> connection;
  private final EventLoop loop;
  private final LuaScript script;
  private final byte[] sha1;
  private final boolean isRehearsal;
  private final int maxEntries;
  private final int maxCalls;
  private final long timeoutNanos;
  private final AnswerReader reader;

  private final Queue<Question> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();
  private final AtomicBoolean isScheduled = new AtomicBoolean();

  private final IdentityHashMap<List<Draw>, Terms> terms = new IdentityHashMap<>();
  private final Queue<Batch> idle = new ArrayDeque<>();
  private @Nullable Question leftOver;
  private long batches;
  private int calls;
  private boolean isScriptUnknown;

  /**
   * @param maxEntries how many charges travel together at most, equal ones counted once
   * @param maxCalls how many calls are in flight at most
   */
  GroupCommit(
      RedisConnections.Link link,
      Duration commandTimeout,
      LuaScript script,
      AnswerReader reader,
      boolean isRehearsal,
      int maxEntries,
      int maxCalls) {
    this.connection = link.connection();
    this.loop = link.eventLoop();
    this.script = script;
    this.reader = reader;
    this.sha1 = script.sha1().getBytes(UTF_8);
    this.isRehearsal = isRehearsal;
    this.maxEntries = maxEntries;
    this.maxCalls = maxCalls;
    this.timeoutNanos = commandTimeout.toNanos();
  }

  /** Whether what is asked by this thread is sent and answered by it. */
  boolean isHere() {
    return loop.inEventLoop();
  }

  /** Asks; the question completes with the answer, or with a {@link StoreUnavailableException}. */
  void ask(Question question) {
    if (waitingCount.incrementAndGet() > MAX_WAITING) {
      waitingCount.decrementAndGet();
      question.completeExceptionally(new StoreUnavailableException(
          "Redis is behind: %d charges wait already".formatted(MAX_WAITING), null));
      return;
    }
    waiting.add(question);
    if (isScheduled.compareAndSet(false, true)) {
      schedule();
    }
  }

  // As a task of its own: what else comes in the same turn of the event loop comes along.
  private void schedule() {
    try {
      loop.execute(this::commit);
    } catch (RejectedExecutionException e) {
      isScheduled.set(false);
      failWaiting(unavailable(e));
    }
  }

  private void commit() {
    isScheduled.set(false);
    while (calls < maxCalls && !isScriptUnknown) {
      Batch batch = gathered();
      if (batch.isEmpty()) {
        idle.add(batch);
        return;
      }
      calls++;
      send(batch, CommandType.EVALSHA, sha1);
    }
  }

  private Batch gathered() {
    Batch recycled = idle.poll();
    Batch batch = recycled == null ? new Batch(isRehearsal, maxEntries) : recycled;
    batch.begin(++batches);
    long now = System.nanoTime();
    Question question = next();
    while (question != null) {
      if (now - question.askedNanos > timeoutNanos) {
        waitingCount.decrementAndGet();
        question.completeExceptionally(
            new StoreUnavailableException("Redis is behind: a charge waited too long", null));
      } else if (!batch.add(question, termsOf(question.charge))) {
        leftOver = question;
        break;
      }
      question = next();
    }
    waitingCount.addAndGet(-batch.charges());
    return batch;
  }

  private @Nullable Question next() {
    Question first = leftOver;
    leftOver = null;
    return first == null ? waiting.poll() : first;
  }

  private Terms termsOf(Charge charge) {
    Terms known = terms.get(charge.draws());
    if (known != null && known.areOf(charge)) {
      return known;
    }
    if (terms.size() >= MAX_TERMS) {
      terms.clear();
    }
    Terms made = new Terms(charge);
    terms.put(charge.draws(), made);
    return made;
  }

  private void send(Batch batch, CommandType type, byte[] scriptArgument) {
    AsyncCommand<String, String, Answers> command =
        new AsyncCommand<>(new Command<>(type, new Answers(), batch.argumentsFor(scriptArgument)));
    command.onComplete((answers, error) -> {
      if (loop.inEventLoop()) {
        ended(batch, type, answers, error);
        return;
      }
      try {
        loop.execute(() -> ended(batch, type, answers, error));
      } catch (RejectedExecutionException e) {
        fail(batch, unavailable(e));
      }
    });
    try {
      connection.dispatch(command);
    } catch (RuntimeException e) {
      command.completeExceptionally(e);
    }
  }

  private void ended(
      Batch batch, CommandType type, @Nullable Answers answers, @Nullable Throwable error) {
    if (error != null && type == CommandType.EVALSHA && isNoScript(error)) {
      // What is asked from now on does not overtake what is sent again.
      isScriptUnknown = true;
      send(batch, CommandType.EVAL, script.source().getBytes(UTF_8));
      return;
    }
    calls--;
    if (calls == 0) {
      isScriptUnknown = false;
    }
    if (answers != null) {
      answer(batch, answers);
    } else {
      StoreUnavailableException unavailable = unavailable(requireNonNull(error));
      fail(batch, unavailable);
      // Where Redis answered, if only with an error, what waits has its chance.
      if (!(error instanceof RedisCommandExecutionException)) {
        failWaiting(unavailable);
      }
    }
    if (isScheduled.compareAndSet(false, true)) {
      schedule();
    }
  }

  private void answer(Batch batch, Answers answers) {
    try {
      reader.answer(batch, answers);
      idle.add(batch);
    } catch (RuntimeException e) {
      fail(batch, new StoreUnavailableException("the answer of Redis was not understood: " + e, e));
    }
  }

  private static void fail(Batch batch, StoreUnavailableException unavailable) {
    batch.forEach(question -> question.completeExceptionally(unavailable));
  }

  // Those that come while these are failed are not failed with them.
  private void failWaiting(StoreUnavailableException unavailable) {
    for (int left = waitingCount.get(); left > 0; left--) {
      Question question = next();
      if (question == null) {
        return;
      }
      waitingCount.decrementAndGet();
      question.completeExceptionally(unavailable);
    }
  }

  private static boolean isNoScript(Throwable error) {
    return error instanceof RedisNoScriptException
        || error.getCause() instanceof RedisNoScriptException;
  }

  private static StoreUnavailableException unavailable(Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    return new StoreUnavailableException("Redis did not answer: " + cause.getMessage(), cause);
  }
}
