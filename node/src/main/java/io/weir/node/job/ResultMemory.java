package io.weir.node.job;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;

/**
 * Memory for the results of jobs: a node reads, encodes and sends no more of them at a time than it has room for. If there
 * is no room, a result waits, behind earlier ones of the same key only. Safe for use by many threads.
 */
public final class ResultMemory {
  /** So many times a result is in memory at most while it is read, encoded or decoded, and sent. */
  static final int COPIES = 8;

  private static final long LEAST = 64 << 10;
  private static final long MIN_OF_KEY = COPIES * (2L << 20);
  private static final int PART_OF_HEAP = 4;

  private final Bulkhead bytes;
  private final long ofKey;
  private final Deque<Waiter> waiting = new ArrayDeque<>();

  private ResultMemory(long ofKey, long ofNode) {
    this.bytes = new Bulkhead(ofKey, Math.max(ofKey, ofNode / 2), ofNode);
    this.ofKey = ofKey;
  }

  /** A quarter of the heap, of which a tenant has half and a key a quarter. */
  public static ResultMemory ofHeap(long heapBytes) {
    long ofNode = Math.max(2 * MIN_OF_KEY, heapBytes / PART_OF_HEAP);
    return new ResultMemory(Math.max(MIN_OF_KEY, ofNode / PART_OF_HEAP), ofNode);
  }

  /** How many bytes are taken. */
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
   * @param resultBytes how long the result may be
   */
  Wait take(Context context, String key, String tenant, long resultBytes) {
    long amount = Math.min(ofKey, Math.max(LEAST, COPIES * resultBytes));
    Waiter waiter = new Waiter(context, key, tenant, amount, Promise.promise());
    synchronized (this) {
      boolean isBehind = waiting.stream().anyMatch(other -> other.key.equals(key));
      Optional<Share> share = isBehind ? Optional.empty() : bytes.tryTake(key, tenant, amount);
      if (share.isPresent()) {
        waiter.promise.complete(new Room(share.get()));
      } else {
        waiting.add(waiter);
      }
    }
    return new Wait(waiter);
  }

  private synchronized void grant() {
    Set<String> blocked = new HashSet<>();
    for (Iterator<Waiter> all = waiting.iterator(); all.hasNext(); ) {
      Waiter next = all.next();
      Optional<Share> share = blocked.contains(next.key)
          ? Optional.empty()
          : bytes.tryTake(next.key, next.tenant, next.amount);
      if (share.isPresent()) {
        all.remove();
        next.grant(new Room(share.get()));
      } else {
        blocked.add(next.key);
      }
    }
  }

  private synchronized boolean leave(Waiter waiter) {
    return waiting.remove(waiter);
  }

  private record Waiter(
      Context context, String key, String tenant, long amount, Promise<Room> promise) {
    // Whoever frees may be on another thread.
    void grant(Room room) {
      context.runOnContext(now -> promise.complete(room));
    }
  }

  /** A result that has room, or waits for it. */
  final class Wait {
    private final Waiter waiter;

    private Wait(Waiter waiter) {
      this.waiter = waiter;
    }

    /** Completes with the room; whoever gets it frees it. */
    Future<Room> room() {
      return waiter.promise.future();
    }

    /** Refuses it where it still waits. */
    void giveUp(ProblemDetails why) {
      if (ResultMemory.this.leave(waiter)) {
        waiter.promise.fail(new RefusedException(why));
      }
    }

    /** Ends to wait: no room is taken, or it is freed once it comes. */
    void leave() {
      if (!ResultMemory.this.leave(waiter)) {
        room().onSuccess(Room::free);
      }
    }
  }

  /** Room that was taken. Safe for use by many threads. */
  final class Room {
    private final Share share;

    private Room(Share share) {
      this.share = share;
    }

    /** Gives it back; a second time does nothing. */
    void free() {
      share.free();
      ResultMemory.this.grant();
    }
  }
}
