package io.weir.node.provider;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The requests of one group that wait for an upstream, first come, first served. Mutable; owned by its event loop. */
final class GroupQueue {
  private final Queue<Waiter> waiting = new ArrayDeque<>();
  private boolean isBlocked;
  private boolean isAwaited;

  int size() {
    return waiting.size();
  }

  void add(Waiter waiter) {
    waiting.add(waiter);
  }

  /** The first one was not booked when it was asked for: the others need not be asked for. */
  void block() {
    isBlocked = !waiting.isEmpty();
    isAwaited = false;
  }

  /** The same, as there was no room: others that are told so later wait for its turn. */
  void full() {
    block();
    isAwaited = true;
  }

  void unblock() {
    isBlocked = false;
    isAwaited = false;
  }

  /** Whether others wait for its turn, and nobody is here to take it. */
  boolean isAbandoned() {
    return isAwaited && waiting.isEmpty();
  }

  /** Nobody waits for its turn any more. */
  void forget() {
    isAwaited = false;
  }

  boolean isBlocked() {
    return isBlocked;
  }

  /** Those that are worth asking for, in turn. */
  Iterator<Waiter> worthAsking() {
    return waiting.stream()
        .filter(waiter -> !waiter.isGone())
        .limit(isBlocked ? 1 : Long.MAX_VALUE)
        .iterator();
  }

  /** Whether it was here; it is no more. */
  boolean remove(Waiter waiter) {
    boolean wasHere = waiting.remove(waiter);
    isBlocked &= !waiting.isEmpty();
    return wasHere;
  }

  /** Some leave; what is done with them may come back here. */
  void leave(Predicate<Waiter> which, Consumer<Waiter> how) {
    List<Waiter> leaving = waiting.stream().filter(which).toList();
    if (!leaving.isEmpty()) {
      waiting.removeAll(Set.copyOf(leaving));
      isBlocked &= !waiting.isEmpty();
      leaving.forEach(how);
    }
  }
}
