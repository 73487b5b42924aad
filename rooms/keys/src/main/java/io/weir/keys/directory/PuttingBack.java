package io.weir.keys.directory;

import io.weir.keys.record.Entry;
import io.weir.keys.record.TokenEntry;
import io.weir.keys.store.Change;
import io.weir.keys.store.RedisRecords;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Writes records that Redis has lost, where nobody has written them meanwhile; some at a time, and those that fail again,
 * for a minute in all.
 */
record PuttingBack(RedisRecords records) {
  private static final int AT_ONCE = 50;
  private static final int FAILURES = 300;
  private static final long PAUSE_MILLIS = 200;

  /** What a node knew. */
  record Lost(
      List<Entry> keys, List<Entry> tenants, Map<String, String> names, List<TokenEntry> tokens) {}

  CompletableFuture<Void> all(Lost lost) {
    return each(lost.tokens(), token -> records.putToken(token.name(), token.text()), FAILURES)
        .thenCompose(done -> each(lost.tenants(), this::put, FAILURES))
        .thenCompose(done -> each(lost.keys(), this::put, FAILURES))
        .thenCompose(done -> each(
            List.copyOf(lost.names().entrySet()),
            name -> records.name(name.getKey(), name.getValue()),
            FAILURES));
  }

  private CompletableFuture<?> put(Entry entry) {
    return records.put(
        new Change(Change.SILENT, entry.changed(), Optional.empty(), Optional.of(entry)));
  }

  private static <T> CompletableFuture<Void> each(
      List<T> all, Function<T, CompletableFuture<?>> write, int failures) {
    if (all.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<T> now = all.subList(0, Math.min(AT_ONCE, all.size()));
    return CompletableFuture.allOf(now.stream().map(write).toArray(CompletableFuture[]::new))
        .handle((done, error) -> error)
        .thenCompose(error -> {
          if (error == null) {
            return each(all.subList(now.size(), all.size()), write, failures);
          }
          if (failures == 0) {
            return CompletableFuture.failedFuture(error);
          }
          return new CompletableFuture<Void>()
              .completeOnTimeout(null, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
              .thenCompose(paused -> each(all, write, failures - 1));
        });
  }
}
