package io.weir.keys.directory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Reads changed records as they are heard of, some at a time; those of very many are read when they are used. Mutable;
 * safe for use by many threads.
 */
final class ChangeReader {
  private static final int AT_ONCE = 50;
  private static final int MOST_WAITING = 10_000;

  private final Function<String, CompletableFuture<?>> read;
  private final Deque<String> waiting = new ArrayDeque<>();
  private final Set<String> names = new HashSet<>();
  private int underWay;
  private boolean isReading;

  /** @param read starts to read the record of a name */
  ChangeReader(Function<String, CompletableFuture<?>> read) {
    this.read = read;
  }

  void add(String name) {
    synchronized (this) {
      if (waiting.size() >= MOST_WAITING || !names.add(name)) {
        return;
      }
      waiting.add(name);
    }
    readNext();
  }

  synchronized boolean isIdle() {
    return underWay == 0 && waiting.isEmpty();
  }

  // One thread at a time, in a loop: while Redis is away, thousands may fail at once, on this
  // stack.
  private void readNext() {
    for (Optional<String> name = next(true); name.isPresent(); name = next(false)) {
      CompletableFuture<?> unused = read.apply(name.get()).whenComplete((done, error) -> ended());
    }
  }

  private void ended() {
    synchronized (this) {
      underWay--;
    }
    readNext();
  }

  /** @param isNew whether the caller asks for the first time: another one that reads on will see what it has changed */
  private synchronized Optional<String> next(boolean isNew) {
    if (isNew && isReading) {
      return Optional.empty();
    }
    isReading = underWay < AT_ONCE && !waiting.isEmpty();
    if (!isReading) {
      return Optional.empty();
    }
    underWay++;
    String name = waiting.remove();
    names.remove(name);
    return Optional.of(name);
  }
}
