package io.weir.keys.store;

import io.weir.keys.record.RecordType;
import io.weir.keys.store.KeyStatuses.KeyReserve;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.ExtensionPartition;
import io.weir.state.wire.Statuses;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Bounds the keys of a tenant. Safe for use by many threads; failures are those of {@link RedisRecords}. */
public record RedisKeyBound(RedisLibrary library) {
  /** Longer than any request lasts. */
  private static final Duration PLACE_LIVES = Duration.ofMinutes(1);

  private static final int MOST_PLACES = 8;

  /**
   * Takes a place for a new key of a tenant, until its record is written or {@link #free} gives it back: the number of
   * places that others had taken before; empty if too many are taken.
   */
  public CompletableFuture<OptionalInt> take(String tenant, String id) {
    return placed(tenant, id, "take")
        .thenApply(answer -> Statuses.of(KeyReserve.class, answer.get(0)) == KeyReserve.DONE
            ? OptionalInt.of(Math.toIntExact((Long) answer.get(1)))
            : OptionalInt.empty());
  }

  /** Gives a place back. */
  public CompletableFuture<Void> free(String tenant, String id) {
    return placed(tenant, id, "free").thenApply(done -> null);
  }

  private CompletableFuture<List<Object>> placed(String tenant, String id, String verb) {
    List<String> arguments = List.of(
        id, verb, Long.toString(PLACE_LIVES.toNanos() / 1000), Integer.toString(MOST_PLACES));
    return library.run("key_reserve", List.of(KeyNames.places(tenant)), arguments);
  }

  /** The number of keys of a tenant; if there are more than {@code most}, any number above it. */
  public CompletableFuture<Integer> count(String tenant, int most) {
    return countFrom(0, 0, tenant, most);
  }

  // A partition after the other: others are not kept waiting.
  private CompletableFuture<Integer> countFrom(int partition, int found, String tenant, int most) {
    if (partition == ExtensionPartition.COUNT || found > most) {
      return CompletableFuture.completedFuture(found);
    }
    List<String> index = IntStream.range(0, KeyNames.KEY_PARTS)
        .mapToObj(part -> KeyNames.keyIndex(partition, part))
        .toList();
    String prefix = KeyNames.member(RecordType.KEY, tenant, "");
    List<String> arguments =
        List.of("[" + prefix, "(" + prefix + "~", Integer.toString(most - found));
    return library
        .run("key_count", index, arguments)
        .thenCompose(answer ->
            countFrom(partition + 1, found + Math.toIntExact((Long) answer.get(0)), tenant, most));
  }
}
