package io.weir.windows;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Windows in the memory of one process: the specification of every other store. It keeps windows for ever. Mutable;
 * owned by one thread.
 */
final class InMemoryWindows implements WindowStore {
  private final LongSupplier clockMicros;
  private final Map<String, ModelWindow> windows = new HashMap<>();

  InMemoryWindows(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  private ModelWindow window(WindowRule rule) {
    return windows.computeIfAbsent(rule.name(), name -> new ModelWindow());
  }

  private long now() {
    return clockMicros.getAsLong();
  }

  @Override
  public CompletionStage<WindowAnswer> open(WindowRule rule, long from, long to) {
    return CompletableFuture.completedFuture(window(rule).open(rule, from, to, now()));
  }

  @Override
  public CompletionStage<WindowAnswer> claim(WindowRule rule, String id) {
    return CompletableFuture.completedFuture(window(rule).claim(rule, id, now()));
  }

  @Override
  public CompletionStage<Long> takeBack(WindowRule rule, List<String> ids) {
    return CompletableFuture.completedFuture(window(rule).takeBack(rule, ids, now()));
  }

  @Override
  public CompletionStage<WindowAnswer> end(
      WindowRule rule, long from, String id, End how, String note) {
    return CompletableFuture.completedFuture(window(rule).end(rule, from, id, how, note, now()));
  }

  @Override
  public CompletionStage<WindowAnswer> decide(WindowRule rule, Choice choice, long number) {
    return CompletableFuture.completedFuture(
        switch (choice) {
          case COMMIT -> window(rule).commit(rule, number, now());
          case FORGET -> forget(rule);
          case SKIP, RETRY -> window(rule).decide(rule, choice, number, now());
        });
  }

  private WindowAnswer forget(WindowRule rule) {
    windows.remove(rule.name());
    return new WindowAnswer.Done("", window(rule).view());
  }

  @Override
  public CompletionStage<WindowAnswer.Listed> look(WindowRule rule, boolean isOfFailed, int most) {
    return CompletableFuture.completedFuture(window(rule).look(rule, isOfFailed, most, now()));
  }
}
