package io.weir.keys.directory;

import io.weir.keys.directory.Feed.Loss;
import io.weir.keys.store.RedisRecords;
import io.weir.keys.store.StoredFields;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts back what Redis has lost, while nobody changes anything, and tells people. Mutable; safe for use by many threads.
 */
final class Losses {
  private static final Logger LOG = LoggerFactory.getLogger(Losses.class);
  private static final Duration LASTS = Duration.ofSeconds(5);

  private final RedisRecords records;
  private final LongSupplier nanos;
  private final KeyMeters meters;
  private final AtomicInteger puttingBack = new AtomicInteger();
  private volatile long lossNanos;

  Losses(RedisRecords records, LongSupplier nanos, KeyMeters meters) {
    this.records = records;
    this.nanos = nanos;
    this.meters = meters;
    this.lossNanos = nanos.getAsLong() - LASTS.toNanos();
  }

  /** Whether nodes may still put something back: what Redis does not know, it may know in a moment. */
  boolean areRecent() {
    return isPuttingBack() || nanos.getAsLong() - lossNanos < LASTS.toNanos();
  }

  /** Whether this node puts something back. */
  boolean isPuttingBack() {
    return puttingBack.get() > 0;
  }

  /** Puts back what is known here, and tells of it; completes when that has ended, well or not. */
  CompletableFuture<Void> putBack(Loss loss, List<StoredFields> known) {
    lossNanos = nanos.getAsLong();
    puttingBack.incrementAndGet();
    return records
        .doubt(loss.part(), LASTS)
        .exceptionally(error -> false)
        .thenCompose(isFirst -> new RecordRestore(records)
            .all(known)
            .thenCompose(restored -> reported(loss, restored, isFirst)))
        .handle((done, error) -> {
          if (error != null) {
            LOG.warn("not all records were put back: {}", error.getMessage());
          }
          puttingBack.decrementAndGet();
          return null;
        });
  }

  private CompletableFuture<Void> reported(Loss loss, int restored, boolean isFirst) {
    meters.lost();
    String copy = loss.changes().isPresent()
        ? "a copy that is older, by %d changes or more".formatted(loss.changes().getAsLong())
        : "another copy of the records, or none";
    String putBack = loss.isKnown()
        ? "%d records that are known here were put back".formatted(restored)
        : "nothing was put back from here, as this node was paused before";
    LOG.warn("Redis has come back with {}, in part {}: {}", copy, loss.part(), putBack);
    return isFirst
        ? records.audit("put back", "part:" + loss.part(), restored)
        : CompletableFuture.completedFuture(null);
  }
}
