package io.weir.node.provider;

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

  /** The first one was not booked when it was asked for: the others need not be asked for. */
  void block() {
    isBlocked = waiting.size() > 0;
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
    return isAwaited && waiting.size() == 0;
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
    Stream<Waiter> wanted = waiting.inTurn().filter(waiter -> !waiter.isGone());
    return (isBlocked ? wanted.limit(1) : wanted).iterator();
  }

  /** It was served: others come before the next one of its key and its tenant. Gives whether it was here. */
  boolean served(Waiter waiter) {
    boolean wasHere = remove(waiter);
    waiting.comesLast(waiter);
    return wasHere;
  }

  /** Whether it was here; it is no more. */
  boolean remove(Waiter waiter) {
    boolean wasHere = waiting.remove(waiter);
    isBlocked &= waiting.size() > 0;
    return wasHere;
  }

  /** Some leave; what is done with them may come back here. */
  void leave(Predicate<Waiter> which, Consumer<Waiter> how) {
    List<Waiter> leaving = waiting.inTurn().filter(which).toList();
    if (!leaving.isEmpty()) {
      waiting.removeAll(Set.copyOf(leaving));
      isBlocked &= waiting.size() > 0;
      leaving.forEach(how);
    }
  }
}
