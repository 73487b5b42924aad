package io.weir.providers.queue;

import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The requests of one group that wait for an upstream. Mutable; owned by its event loop. */
final class GroupQueue {
  private final FairLine waiting = new FairLine();
  private boolean isBlocked;
  private boolean isAwaited;

  int size() {
    return waiting.size();
  }

  void add(Waiter waiter) {
    waiting.add(waiter);
  }

  /** The first request was not booked: do not ask for the others. */
  void block() {
    isBlocked = waiting.size() > 0;
    isAwaited = false;
  }

  /** The same because there was no room: other queues that find no room later wait for the turn of this one. */
  void full() {
    block();
    isAwaited = true;
  }

  void unblock() {
    isBlocked = false;
    isAwaited = false;
  }

  /** Whether other queues wait for its turn, and it has no request to take it. */
  boolean isAbandoned() {
    return isAwaited && waiting.size() == 0;
  }

  /** The other queues no longer wait for its turn. */
  void forget() {
    isAwaited = false;
  }

  boolean isBlocked() {
    return isBlocked;
  }

  /** The requests to ask for, in turn: only the first one if the group is blocked. */
  Iterator<Waiter> worthAsking() {
    Stream<Waiter> wanted = waiting.inTurn().filter(waiter -> !waiter.isGone());
    return (isBlocked ? wanted.limit(1) : wanted).iterator();
  }

  /** The request was served: its key and its tenant go to the end. False if it was not here. */
  boolean served(Waiter waiter) {
    boolean wasHere = remove(waiter);
    waiting.comesLast(waiter);
    return wasHere;
  }

  /** Removes a request; false if it was not here. */
  boolean remove(Waiter waiter) {
    boolean wasHere = waiting.remove(waiter);
    isBlocked &= waiting.size() > 0;
    return wasHere;
  }

  /** Removes the matching requests; the action may call this queue again. */
  void leave(Predicate<Waiter> which, Consumer<Waiter> how) {
    List<Waiter> leaving = waiting.inTurn().filter(which).toList();
    if (!leaving.isEmpty()) {
      waiting.removeAll(Set.copyOf(leaving));
      isBlocked &= waiting.size() > 0;
      leaving.forEach(how);
    }
  }
}
