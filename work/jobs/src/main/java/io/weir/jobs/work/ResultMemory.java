package io.weir.jobs.work;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.weir.core.fair.FairQueue;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import java.util.Optional;

/**
 * Bounds the memory for the results of jobs that a node reads, encodes and sends. Without room, a result waits behind
 * earlier ones of its key; keys take turns. The number of waiting results is bounded by the bounds for callers and for
 * jobs that are sent. Safe for use by many threads.
 */
public final class ResultMemory {
  /** The most copies of a result in memory while it is read, encoded or decoded, and sent. */
  static final int COPIES = 8;

  private static final long LEAST = 64 << 10;
  private static final long MIN_OF_KEY = COPIES * (2L << 20);
  private static final int PART_OF_HEAP = 4;

  private final Bulkhead bytes;
  private final long ofKey;
  /** Results that wait, by key. */
  private final FairQueue<String, Waiter> waiting = new FairQueue<>();

  private ResultMemory(long ofKey, long ofNode) {
    this.bytes = new Bulkhead(ofKey, Math.max(ofKey, ofNode / 2), ofNode);
    this.ofKey = ofKey;
  }

  /** A quarter of the heap, of which a tenant may take half and a key a quarter. */
  public static ResultMemory ofHeap(long heapBytes) {
    long ofNode = Math.max(2 * MIN_OF_KEY, heapBytes / PART_OF_HEAP);
    return new ResultMemory(Math.max(MIN_OF_KEY, ofNode / PART_OF_HEAP), ofNode);
  }

  /** The number of bytes taken. */
  public long taken() {
    return bytes.taken();
  }

  /** Whether results wait for room. */
  synchronized boolean isShort() {
    return !waiting.isEmpty();
  }

  /**
   * Takes room for a result.
   *
   * @param context where the future completes
   * @param resultBytes the longest possible length of the result
   */
  public Wait take(Context context, String key, String tenant, long resultBytes) {
    long amount = Math.min(ofKey, Math.max(LEAST, COPIES * resultBytes));
    Waiter waiter = new Waiter(context, key, tenant, amount, Promise.promise());
    synchronized (this) {
      Optional<Portion> share =
          waiting.countOf(key) > 0 ? Optional.empty() : bytes.tryTake(key, tenant, amount);
      if (share.isPresent()) {
        waiter.promise.complete(new Memory(share.get()));
      } else {
        waiting.add(key, waiter);
      }
    }
    return new Wait(waiter);
  }

  // Keys take turns: a key that gets room goes to the end of the queue.
  private synchronized void grant() {
    boolean isGranted;
    do {
      isGranted = false;
      for (String key : waiting.keys()) {
        isGranted |= grantFirst(key);
      }
    } while (isGranted);
  }

  private boolean grantFirst(String key) {
    Waiter first = waiting.first(key);
    Optional<Portion> share = bytes.tryTake(key, first.tenant, first.amount);
    if (share.isEmpty()) {
      return false;
    }
    waiting.poll(key).grant(new Memory(share.get()));
    return true;
  }

  private synchronized boolean leave(Waiter waiter) {
    return waiting.remove(waiter.key, waiter);
  }

  private record Waiter(
      Context context, String key, String tenant, long amount, Promise<Memory> promise) {
    // The room may be freed on another thread.
    void grant(Memory room) {
      context.runOnContext(now -> promise.complete(room));
    }
  }

  /** A result that has room, or waits for it. */
  public final class Wait {
    private final Waiter waiter;

    private Wait(Waiter waiter) {
      this.waiter = waiter;
    }

    /** Completes with the room; the receiver frees it. */
    public Future<Memory> room() {
      return waiter.promise.future();
    }

    /** Fails it if it still waits. */
    public void giveUp(ProblemDetails why) {
      if (ResultMemory.this.leave(waiter)) {
        waiter.promise.fail(new RefusedException(why));
      }
    }

    /** Stops waiting: no room is taken, or it is freed as soon as it is granted. */
    void leave() {
      if (!ResultMemory.this.leave(waiter)) {
        room().onSuccess(Memory::free);
      }
    }
  }

  /** Memory that was taken. Safe for use by many threads. */
  public final class Memory {
    private final Portion share;

    private Memory(Portion share) {
      this.share = share;
    }

    /** Frees the room; a second call does nothing. */
    public void free() {
      share.free();
      ResultMemory.this.grant();
    }
  }
}
