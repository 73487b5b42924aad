package io.weir.providers.queue;

import io.weir.core.fair.FairQueue;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Waiting requests in fair order: tenants take turns, and in each tenant its keys. Requests of one key keep their
 * order. Mutable; owned by one event loop.
 */
final class FairLine {
  /** By tenant, each by key; the tenant that was served last is last. */
  private final Map<String, FairQueue<String, Waiter>> waiting = new LinkedHashMap<>();

  private int size;

  int size() {
    return size;
  }

  void add(Waiter waiter) {
    waiting
        .computeIfAbsent(waiter.wish().caller().tenant(), tenant -> new FairQueue<>())
        .add(waiter.wish().caller().key(), waiter);
    size++;
  }

  /** All requests in the order of turns. */
  Stream<Waiter> inTurn() {
    Iterator<Waiter> inTurn =
        FairQueue.inTurn(waiting.values().stream().map(FairQueue::inTurn).iterator());
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(inTurn, Spliterator.ORDERED), false);
  }

  /** Moves its tenant, and its key within the tenant, to the end. */
  void comesLast(Waiter waiter) {
    FairQueue<String, Waiter> keys = waiting.remove(waiter.wish().caller().tenant());
    if (keys != null) {
      waiting.put(waiter.wish().caller().tenant(), keys);
      keys.comesLast(waiter.wish().caller().key());
    }
  }

  /** Removes a request; false if it was not here. */
  boolean remove(Waiter waiter) {
    FairQueue<String, Waiter> keys = waiting.get(waiter.wish().caller().tenant());
    if (keys == null || !keys.remove(waiter.wish().caller().key(), waiter)) {
      return false;
    }
    size--;
    if (keys.isEmpty()) {
      waiting.remove(waiter.wish().caller().tenant());
    }
    return true;
  }

  void removeAll(Set<Waiter> some) {
    some.forEach(this::remove);
  }
}
