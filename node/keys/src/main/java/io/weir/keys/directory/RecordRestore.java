package io.weir.keys.directory;

import io.weir.keys.store.RedisRecords;
import io.weir.keys.store.StoredFields;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Writes what Redis has lost, where it does not know something newer; some records at a time, and those that fail again,
 * for a minute in all.
 */
record RecordRestore(RedisRecords records) {
  private static final int AT_ONCE = 50;
  private static final int FAILURES = 300;
  private static final long PAUSE_MILLIS = 200;

  /** Completes with the number of those that Redis did not know. */
  CompletableFuture<Integer> all(List<StoredFields> known) {
    return from(known, 0, FAILURES);
  }

  private CompletableFuture<Integer> from(List<StoredFields> left, int restored, int failures) {
    if (left.isEmpty()) {
      return CompletableFuture.completedFuture(restored);
    }
    List<CompletableFuture<Boolean>> now =
        left.stream().limit(AT_ONCE).map(records::restore).toList();
    return CompletableFuture.allOf(now.toArray(CompletableFuture[]::new))
        .handle((done, error) -> error)
        .thenCompose(error -> {
          if (error == null) {
            int more = (int) now.stream().filter(CompletableFuture::join).count();
            return from(left.subList(now.size(), left.size()), restored + more, failures);
          }
          return failures == 0
              ? CompletableFuture.failedFuture(error)
              : new CompletableFuture<Void>()
                  .completeOnTimeout(null, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                  .thenCompose(paused -> from(left, restored, failures - 1));
        });
  }
}
