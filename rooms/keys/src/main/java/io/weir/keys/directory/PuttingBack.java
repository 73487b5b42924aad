package io.weir.keys.directory;

import io.weir.keys.record.Entry;
import io.weir.keys.store.Change;
import io.weir.keys.store.RedisRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Writes records that Redis has lost, where nobody has written them meanwhile; some at a time. */
record PuttingBack(RedisRecords records) {
  private static final int AT_ONCE = 200;

  CompletableFuture<Void> all(List<Entry> keys, List<Entry> tenants, Map<String, String> names) {
    return each(tenants, this::put)
        .thenCompose(done -> each(keys, this::put))
        .thenCompose(done -> each(
            new ArrayList<>(names.entrySet()),
            name -> records.name(name.getKey(), name.getValue())));
  }

  private CompletableFuture<?> put(Entry entry) {
    return records.put(
        new Change(Change.SILENT, entry.changed(), Optional.empty(), Optional.of(entry)));
  }

  private static <T> CompletableFuture<Void> each(
      List<T> all, Function<T, CompletableFuture<?>> write) {
    if (all.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<T> now = all.subList(0, Math.min(AT_ONCE, all.size()));
    return CompletableFuture.allOf(now.stream().map(write).toArray(CompletableFuture[]::new))
        .thenCompose(done -> each(all.subList(now.size(), all.size()), write));
  }
}
