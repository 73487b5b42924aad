package io.weir.node.provider;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
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
  /** By tenant and key; the one that was served last is last. */
  private final Map<String, Map<String, Queue<Waiter>>> waiting = new LinkedHashMap<>();

  private int size;

  int size() {
    return size;
  }

  void add(Waiter waiter) {
    waiting
        .computeIfAbsent(waiter.wish().tenant(), tenant -> new LinkedHashMap<>())
        .computeIfAbsent(waiter.wish().key(), key -> new ArrayDeque<>())
        .add(waiter);
    size++;
  }

  /** All requests in the order of turns. */
  Stream<Waiter> inTurn() {
    Iterator<Waiter> inTurn =
        new InTurn<>(waiting.values().stream().map(FairLine::keysInTurn).iterator());
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(inTurn, Spliterator.ORDERED), false);
  }

  private static Iterator<Waiter> keysInTurn(Map<String, Queue<Waiter>> keys) {
    return new InTurn<>(keys.values().stream().map(Collection::iterator).iterator());
  }

  /** Moves its tenant, and its key within the tenant, to the end. */
  void comesLast(Waiter waiter) {
    Map<String, Queue<Waiter>> keys = waiting.remove(waiter.wish().tenant());
    if (keys == null) {
      return;
    }
    waiting.put(waiter.wish().tenant(), keys);
    Queue<Waiter> ofKey = keys.remove(waiter.wish().key());
    if (ofKey != null) {
      keys.put(waiter.wish().key(), ofKey);
    }
  }

  /** Removes a request; false if it was not here. */
  boolean remove(Waiter waiter) {
    Map<String, Queue<Waiter>> keys = waiting.getOrDefault(waiter.wish().tenant(), Map.of());
    Queue<Waiter> ofKey = keys.get(waiter.wish().key());
    boolean wasHere = ofKey != null && ofKey.remove(waiter);
    if (wasHere) {
      size--;
      forgetEmpty(waiter);
    }
    return wasHere;
  }

  void removeAll(Set<Waiter> some) {
    some.forEach(this::remove);
  }

  private void forgetEmpty(Waiter waiter) {
    Map<String, Queue<Waiter>> keys = waiting.getOrDefault(waiter.wish().tenant(), Map.of());
    Queue<Waiter> ofKey = keys.get(waiter.wish().key());
    if (ofKey != null && ofKey.isEmpty()) {
      keys.remove(waiter.wish().key());
    }
    if (keys.isEmpty()) {
      waiting.remove(waiter.wish().tenant());
    }
  }

  /** Takes one element of each of several non-empty iterators, then the next one of each, and so on. */
  private static final class InTurn<T> implements Iterator<T> {
    private final Iterator<Iterator<T>> several;
    private final Queue<Iterator<T>> turns = new ArrayDeque<>();

    InTurn(Iterator<Iterator<T>> several) {
      this.several = several;
    }

    @Override
    public boolean hasNext() {
      return several.hasNext() || !turns.isEmpty();
    }

    @Override
    public T next() {
      Iterator<T> first = several.hasNext() ? several.next() : turns.remove();
      T next = first.next();
      if (first.hasNext()) {
        turns.add(first);
      }
      return next;
    }
  }
}
