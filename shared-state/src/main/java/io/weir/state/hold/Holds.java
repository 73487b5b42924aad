package io.weir.state.hold;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.kind.Permits;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Held.Permit;
import io.weir.core.throttle.HoldStore;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.keep.LeaseRenewal;
import io.weir.state.keep.LeaseRenewal.Renewal;
import io.weir.state.keep.LeaseTerms;
import io.weir.state.keep.LeaseTime;
import io.weir.state.keep.RetriedCalls;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holds of this node's requests: renewed while they run, and ended with them. If the end of a hold cannot be stored
 * because of an outage, it is tried again until the lease is over. Also ends holds that dead nodes have left. Safe for
 * use by many threads.
 */
public final class Holds {
  private static final Logger LOG = LoggerFactory.getLogger(Holds.class);
  private static final long TICK_MILLIS = 500;

  private final LeaseTime time;
  private final HoldStore store;
  private final Events events;
  private final IntSupplier liveNodes;
  private final LeaseRenewal<Held> kept;
  private final RetriedCalls ends;
  /** The number of permits of a limit that this node holds, by owner. */
  private final Map<List<String>, Integer> permits = new ConcurrentHashMap<>();

  /** Ends that are not stored yet. */
  private final Map<Object, CompletableFuture<Ended>> underWay = new ConcurrentHashMap<>();

  private volatile boolean isOver;
  private long ticks;

  /**
   * Nothing is held at first.
   *
   * @param liveNodes the number of live nodes at the last count, this one included
   */
  public Holds(LeaseTime time, HoldStore store, Events events, IntSupplier liveNodes) {
    this.time = time;
    this.liveNodes = liveNodes;
    this.store = store;
    this.events = events;
    this.ends = new RetriedCalls(LeaseTerms.HOLD, time, Failures::isOutage);
    this.kept = new LeaseRenewal<>(
        LeaseTerms.HOLD,
        time,
        new Renewal<>(Held::leaseMicros, this::renew, lost -> events.lost(1)));
  }

  /** The events of holds, for metrics. */
  public interface Events {
    /** Nobody counts. */
    Events NONE = new Events() {
      @Override
      public void ended(Ended end) {}

      @Override
      public void lost(long count) {}

      @Override
      public void expired(long count) {}
    };

    /** A hold has ended. */
    void ended(Ended end);

    /** Holds were lost while their requests run. */
    void lost(long count);

    /** Reservations have expired. */
    void expired(long count);
  }

  /** The number of holds. */
  public int size() {
    return kept.size();
  }

  /** Starts to renew holds, and to end expired ones, until {@link #stop}. */
  public void start() {
    time.after(TICK_MILLIS, this::tick);
  }

  /** Renews nothing more; what is held ends by {@link #end}, or with its lease. */
  public void stop() {
    isOver = true;
  }

  private void tick() {
    if (isOver) {
      return;
    }
    try {
      kept.renewDue();
      if (ticks++ % 2 == 1) {
        expire();
      }
    } finally {
      start();
    }
  }

  /**
   * Begins what the request of a decision holds, if it is admitted.
   *
   * @param wish with which it was decided
   */
  public HeldDecision begin(Decision decision, HoldWish wish) {
    return HeldDecision.begin(this, decision, wish);
  }

  /** Cancels the hold of an undecided request: its charge may have been made although the answer was lost. */
  public void withdraw(HoldWish wish, Throwable error) {
    if (Failures.cause(error) instanceof StoreUnavailableException) {
      wish.held().ifPresent(held -> {
        CompletionStage<Ended> unused = end(held, new Ending.Cancelled());
      });
    }
  }

  /** A request has this hold from now on. */
  void begin(Held held) {
    kept.keep(held);
    held.permits().forEach(permit -> permits.merge(ownerOf(held, permit), 1, Integer::sum));
  }

  /**
   * The same while the shared state is away: as many permits as this node's share of the limits, at least one.
   *
   * @param limits of its permits
   * @return empty if the share is used up
   */
  synchronized Optional<LocalHold> beginAlone(Held held, List<Permits> limits) {
    int nodes = Math.max(1, liveNodes.getAsInt());
    boolean hasRoom = limits.stream()
        .allMatch(limit ->
            permits.getOrDefault(ownerOf(held, limit), 0) < Math.max(1, limit.limit() / nodes));
    if (!hasRoom) {
      return Optional.empty();
    }
    held.permits().forEach(permit -> permits.merge(ownerOf(held, permit), 1, Integer::sum));
    return Optional.of(new LocalHold(held));
  }

  /** Permits that only this node knows. */
  record LocalHold(Held held) {}

  /** The request is over. */
  void end(LocalHold alone) {
    free(alone.held());
  }

  private void free(Held held) {
    held.permits()
        .forEach(permit -> permits.computeIfPresent(
            ownerOf(held, permit), (owner, count) -> count == 1 ? null : count - 1));
  }

  private static List<String> ownerOf(Held held, Permit permit) {
    return ownerOf(held, permit.scope(), permit.name());
  }

  private static List<String> ownerOf(Held held, Permits limit) {
    return ownerOf(held, limit.scope(), limit.name());
  }

  private static List<String> ownerOf(Held held, Scope scope, String name) {
    return switch (scope) {
      case KEY -> List.of(name, held.tenant(), held.subject());
      case TENANT -> List.of(name, held.tenant());
      case CLUSTER -> List.of(name);
    };
  }

  /** Leaves a hold to others, who end it: it is not renewed any more. */
  public void leave(Held held) {
    if (kept.drop(held)) {
      free(held);
    }
  }

  /** Ends the hold of a request. Completes when the end is stored, or fails if it could not be stored. */
  public CompletionStage<Ended> end(Held held, Ending ending) {
    leave(held);
    CompletableFuture<Ended> end = ends.call(() -> store.end(held, ending), held.leaseMicros())
        .thenApply(ended -> {
          events.ended(ended);
          return ended;
        })
        .toCompletableFuture();
    Object one = new Object();
    underWay.put(one, end);
    return end.whenComplete((ended, error) -> underWay.remove(one));
  }

  /**
   * Ends all holds at the cost that they were made with, as the program ends, and completes when these ends and those
   * under way are stored or have failed.
   */
  public CompletionStage<Void> endAll() {
    for (Held held : kept.all()) {
      CompletionStage<Ended> unused = end(
          held, held.reserves() ? new Ending.Settled(Ending.AS_RESERVED) : new Ending.Cancelled());
    }
    return CompletableFuture.allOf(underWay.values().toArray(CompletableFuture[]::new))
        .exceptionally(error -> null);
  }

  /** Fails the ends that are not stored, as no timer will try them again. */
  public void abandon() {
    underWay
        .values()
        .forEach(end -> end.completeExceptionally(
            new CancellationException("closed before the end was stored")));
  }

  private CompletionStage<List<Boolean>> renew(List<Held> due) {
    return store.renew(due).whenComplete((renewed, error) -> {
      if (error != null) {
        LOG.debug("{} holds could not be renewed", due.size());
      }
    });
  }

  private void expire() {
    CompletionStage<Integer> unused = store.expire().whenComplete((ended, error) -> {
      if (error == null && ended > 0) {
        events.expired(ended);
        expire(); // there may be more than are ended in one call
      }
    });
  }
}
