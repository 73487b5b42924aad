package io.weir.keys.directory;

import io.weir.keys.store.RedisRecords;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** A {@link Feed} for each part of the shared state. */
record Feeds(RedisRecords records, List<Feed> byPart) {
  static Feeds of(RedisRecords records, LongSupplier nanos, Feed.Listener listener) {
    return new Feeds(
        records,
        IntStream.range(0, records.parts())
            .mapToObj(part -> new Feed(records, part, nanos, listener))
            .toList());
  }

  /** The feed of the records with this name. */
  Feed of(String id) {
    return byPart.get(records.partOf(id));
  }

  /** The feed of the tokens of operators. */
  Feed ofTokens() {
    return byPart.get(0);
  }

  /** Looks everywhere; completes when all looks have ended, well or not. */
  CompletableFuture<Void> look() {
    return CompletableFuture.allOf(byPart.stream()
        .map(feed -> feed.look().exceptionally(error -> null))
        .toArray(CompletableFuture[]::new));
  }
}
