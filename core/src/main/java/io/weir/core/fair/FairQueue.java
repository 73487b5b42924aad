package io.weir.core.fair;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Elements that wait, each for a key: keys take turns, and the elements of one key keep their order. So no key waits
 * behind all elements of another. Mutable; not safe for use by many threads.
 *
 * @param <K> a tenant or a key
 * @param <T> what waits; the caller bounds the number
 */
public final class FairQueue<K, T> {
  /** The key whose turn is next comes first; no queue is empty. */
  private final Map<K, Queue<T>> waiting = new LinkedHashMap<>();

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** The number of elements of a key. */
  public int countOf(K key) {
    Queue<T> ofKey = waiting.get(key);
    return ofKey == null ? 0 : ofKey.size();
  }

  /** Adds an element behind those of its key; a new key is the last. */
  public void add(K key, T element) {
    waiting.computeIfAbsent(key, first -> new ArrayDeque<>()).add(element);
  }

  /**
   * The key whose turn is next.
   *
   * @throws java.util.NoSuchElementException if nothing waits
   */
  public K firstKey() {
    return waiting.keySet().iterator().next();
  }

  /** Removes the next element, if any; its key is the last then. */
  public Optional<T> poll() {
    Iterator<K> keys = waiting.keySet().iterator();
    return keys.hasNext() ? Optional.of(poll(keys.next())) : Optional.empty();
  }

  /** Removes the first element of a key that has one; the key is the last then. */
  public T poll(K key) {
    Queue<T> ofKey = of(key);
    waiting.remove(key);
    T first = ofKey.remove();
    if (!ofKey.isEmpty()) {
      waiting.put(key, ofKey);
    }
    return first;
  }

  /** The first element of a key that has one. */
  public T first(K key) {
    return of(key).element();
  }

  private Queue<T> of(K key) {
    Queue<T> ofKey = waiting.get(key);
    if (ofKey == null) {
      throw new IllegalStateException("nothing waits for " + key);
    }
    return ofKey;
  }

  /** Removes an element, wherever it is; false if it is not here. */
  public boolean remove(K key, T element) {
    Queue<T> ofKey = waiting.get(key);
    if (ofKey == null || !ofKey.remove(element)) {
      return false;
    }
    if (ofKey.isEmpty()) {
      waiting.remove(key);
    }
    return true;
  }

  /** Moves a key behind all others, without removing an element. */
  public void comesLast(K key) {
    Queue<T> ofKey = waiting.remove(key);
    if (ofKey != null) {
      waiting.put(key, ofKey);
    }
  }

  /** The keys in the order of their turns. */
  public List<K> keys() {
    return List.copyOf(waiting.keySet());
  }

  /** All elements in the order of turns: the first of each key, then the second of each, and so on. */
  public Iterator<T> inTurn() {
    return inTurn(waiting.values().stream().map(Collection::iterator).iterator());
  }

  /** Takes one element of each of several non-empty iterators, then the next one of each, and so on. */
  public static <T> Iterator<T> inTurn(Iterator<Iterator<T>> several) {
    return new RoundRobin<>(several);
  }

  private static final class RoundRobin<T> implements Iterator<T> {
    private final Iterator<Iterator<T>> several;
    private final Queue<Iterator<T>> turns = new ArrayDeque<>();

    RoundRobin(Iterator<Iterator<T>> several) {
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
