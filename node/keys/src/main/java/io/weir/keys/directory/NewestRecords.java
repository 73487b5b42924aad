package io.weir.keys.directory;

import io.weir.core.throttle.Failures;
import io.weir.keys.store.ListedNames;
import io.weir.keys.store.RedisRecords;
import io.weir.keys.store.RedisTokens;
import io.weir.keys.store.StoredFields;
import io.weir.node.answer.RefusedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** Reads records as they count: a Redis that has come back with an older copy may not know the newest ones. */
record NewestRecords(RedisRecords records, RecentChanges recent) {
  /** The record of a name of the list of changes. */
  CompletableFuture<StoredFields> read(String name) {
    return records
        .read(name)
        .thenCompose(read -> read.isRemoved() && recent.hasRecord(name)
            ? records.removal(name).thenApply(recent::newest) // or is it lost?
            : CompletableFuture.completedFuture(recent.newest(read)));
  }

  /** All tokens of operators. One of which only a newer version is known is left out. */
  CompletableFuture<List<StoredFields>> tokens() {
    return new RedisTokens(records).names().thenCompose(stored -> {
      List<CompletableFuture<StoredFields>> all = Stream.concat(
              stored.stream().map(ListedNames.TOKEN::concat),
              recent.records(ListedNames.TOKEN).stream())
          .distinct()
          .map(name -> read(name).exceptionally(error -> leftOut(name, error)))
          .toList();
      return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
          .thenApply(done -> all.stream()
              .map(CompletableFuture::join)
              .filter(one -> !one.isRemoved())
              .toList());
    });
  }

  private static StoredFields leftOut(String name, Throwable error) {
    if (Failures.cause(error) instanceof RefusedException) {
      return StoredFields.removed(name, 0);
    }
    throw new CompletionException(error);
  }
}
