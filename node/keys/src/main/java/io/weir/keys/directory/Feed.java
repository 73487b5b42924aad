package io.weir.keys.directory;

import io.weir.keys.store.Changes;
import io.weir.keys.store.Cursor;
import io.weir.keys.store.KeyStatuses.KeyChanges;
import io.weir.keys.store.ListedChange;
import io.weir.keys.store.RedisRecords;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks one part of the shared state for changes of records, again and again, and so knows how old its knowledge may be,
 * and Redis's clock. Mutable; safe for use by many threads.
 *
 * <p>A look that has begun after a change was made finds it: no notice can be lost, and a node that was paused knows
 * that it has to look before it answers.
 */
final class Feed {
  private static final long FRESH_NANOS = 700_000_000;
  /** A node that had looked so shortly before Redis went knew what Redis knew. */
  private static final long CURRENT_NANOS = 2_000_000_000L;

  private static final int AWAY = 2;
  private static final int LOOKS = 3;

  private final RedisRecords records;
  private final int part;
  private final LongSupplier nanos;
  private final Listener listener;
  private final AtomicReference<@Nullable CompletableFuture<Void>> looking =
      new AtomicReference<>();
  private volatile State state;
  private Cursor cursor = Cursor.START; // owned by the look that is under way

  /** The events of a feed about its part. */
  interface Listener {
    /** A record has changed. */
    void changed(ListedChange change);

    /** Some changes are not known: everything of the part has to be read again. */
    void missed(int part);

    /** Redis has lost records of the part: it has another copy of them. */
    void lost(Loss loss);
  }

  /**
   * Records that Redis has lost.
   *
   * @param changes how many, at least; empty if the copy is another list
   * @param isKnown whether this node had heard of all changes before: what it did not hear of may have been removed
   */
  record Loss(int part, OptionalLong changes, boolean isKnown) {}

  /**
   * The knowledge about the part.
   *
   * @param freshNanos when the last look that was answered had begun
   * @param clockMicros what Redis's clock showed then
   * @param failures the number of looks that have failed since then
   * @param brokenNanos when the first of them had begun
   */
  private record State(
      long freshNanos, long clockMicros, int failures, long brokenNanos, boolean wasAnswered) {
    State failed(long begun) {
      return new State(
          freshNanos, clockMicros, failures + 1, failures == 0 ? begun : brokenNanos, wasAnswered);
    }

    // Between its last look and the next one, it may have been paused.
    boolean wasCurrent(long begun) {
      return (failures == 0 ? begun : brokenNanos) - freshNanos < CURRENT_NANOS;
    }
  }

  Feed(RedisRecords records, int part, LongSupplier nanos, Listener listener) {
    this.records = records;
    this.part = part;
    this.nanos = nanos;
    this.listener = listener;
    this.state = new State(nanos.getAsLong(), 0, AWAY, 0, false);
  }

  /** Whether what is known now was true less than 0.7 s ago. */
  boolean isFresh() {
    State now = state;
    return now.wasAnswered() && nanos.getAsLong() - now.freshNanos() < FRESH_NANOS;
  }

  /**
   * Whether two looks in a row have failed: what is known counts on. After one failure it may be that this node was
   * paused, and Redis was not.
   */
  boolean isAway() {
    return state.failures() >= AWAY;
  }

  /** The time by Redis's clock; 0 before its first answer. */
  long nowMillis() {
    State now = state;
    return now.wasAnswered()
        ? (now.clockMicros() + (nanos.getAsLong() - now.freshNanos()) / 1000) / 1000
        : 0;
  }

  /** When the last look that was answered had begun. */
  long freshNanos() {
    return state.freshNanos();
  }

  /** Looks for changes, together with a look that is under way. Fails if Redis does not answer. */
  CompletableFuture<Void> look() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> running = looking.compareAndExchange(null, mine);
    if (running != null) {
      return running;
    }
    look(mine);
    return mine;
  }

  /**
   * Looks until it is fresh, at most three times: a look that was under way before may be too old. Completes with whether
   * it is.
   */
  CompletableFuture<Boolean> afterLooking() {
    return afterLooking(LOOKS);
  }

  private CompletableFuture<Boolean> afterLooking(int looks) {
    if (isFresh() || isAway() || looks == 0) {
      return CompletableFuture.completedFuture(isFresh());
    }
    return look()
        .handle((looked, error) -> error == null)
        .thenCompose(looked -> afterLooking(looks - 1));
  }

  private void look(CompletableFuture<Void> done) {
    long begun = nanos.getAsLong();
    CompletableFuture<Void> unused = records
        .changes(part, cursor)
        .thenAccept(changes -> {
          take(changes, begun);
          if (changes.left() > 0) {
            look(done);
          } else {
            looking.set(null);
            done.complete(null);
          }
        })
        .exceptionally(error -> {
          state = state.failed(begun);
          looking.set(null);
          done.completeExceptionally(error);
          return null;
        });
  }

  // The listener hears of the changes before the part counts as fresh.
  private void take(Changes changes, long begun) {
    State before = state;
    Cursor seen = cursor;
    cursor = changes.cursor();
    changes.changes().forEach(listener::changed);
    boolean isFirst = !before.wasAnswered();
    boolean wasAway = before.failures() >= AWAY;
    boolean isLost = changes.status() == KeyChanges.REWOUND
        || (changes.status() == KeyChanges.LOST && !seen.epoch().isEmpty());
    if (!isFirst && isLost) {
      OptionalLong lost = changes.status() == KeyChanges.REWOUND
          ? OptionalLong.of(Math.max(1, seen.seq() - cursor.seq()))
          : OptionalLong.empty();
      listener.lost(new Loss(part, lost, before.wasCurrent(begun)));
    } else if (changes.status() != KeyChanges.CHANGED || wasAway) {
      listener.missed(part);
    }
    if (changes.left() == 0) {
      state = new State(begun, changes.nowMicros(), 0, 0, true);
    }
  }
}
