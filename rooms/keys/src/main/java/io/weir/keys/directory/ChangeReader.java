package io.weir.keys.directory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
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

  private void readNext() {
    String name;
    synchronized (this) {
      if (underWay >= AT_ONCE || waiting.isEmpty()) {
        return;
      }
      underWay++;
      name = waiting.remove();
      names.remove(name);
    }
    // Not on this stack: while Redis is away, thousands may fail at once.
    CompletableFuture<?> unused = read.apply(name).whenCompleteAsync((done, error) -> {
      synchronized (this) {
        underWay--;
      }
      readNext();
    });
  }
}
