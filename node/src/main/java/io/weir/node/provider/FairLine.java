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
 * Requests that wait, one of each tenant in turn, and in each tenant one of each key: nobody waits behind all of another's.
 * Those of one key keep their order. Mutable; owned by one event loop.
 */
final class FairLine {
  /** By tenant and key; whoever was served last comes last. */
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

  /** All of them, in turn. */
  Stream<Waiter> inTurn() {
    Iterator<Waiter> inTurn =
        new InTurn<>(waiting.values().stream().map(FairLine::keysInTurn).iterator());
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(inTurn, Spliterator.ORDERED), false);
  }

  private static Iterator<Waiter> keysInTurn(Map<String, Queue<Waiter>> keys) {
    return new InTurn<>(keys.values().stream().map(Collection::iterator).iterator());
  }

  /** Its tenant has had its turn, and its key in that. */
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

  /** Whether it was here. */
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

  /** One of each of several, none of which is empty, then another one of each, and so on. */
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
