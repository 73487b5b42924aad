package io.weir.keys.directory;

import io.weir.core.bucket.Names;
import io.weir.keys.store.ListedChange;
import io.weir.keys.store.Listing;
import io.weir.keys.store.RedisRecords;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The names of subjects with records that are no ids of keys, such as {@code user:4711}. Rules cover any number of such
 * names, and operators give few of them a record: a node knows these, and looks for no record of the others. It may know
 * names whose record is gone, which costs a look-up. Each part of the shared state is read by itself: one that is away
 * hides no name of another. Mutable; safe for use by many threads.
 */
final class RecordedSubjects {
  private final RedisRecords records;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final List<Part> parts;

  RecordedSubjects(RedisRecords records) {
    this.records = records;
    this.parts = IntStream.range(0, records.parts()).mapToObj(Part::new).toList();
  }

  /**
   * Whether a subject may have a record, after reading the names of its part if changes were missed: yes for all as long
   * as these cannot be read.
   */
  CompletableFuture<Boolean> find(String name) {
    return parts
        .get(records.partOf(name))
        .areKnown()
        .thenApply(areKnown -> !areKnown || contains(name));
  }

  /** Whether a subject has a record, as far as the names are known. */
  boolean contains(String name) {
    return names.contains(name);
  }

  /** The record of a key or a subject has changed. */
  void changed(ListedChange change) {
    if (Names.isId(change.id())) {
      return;
    }
    if (change.isRemoval()) {
      names.remove(change.id());
    } else {
      names.add(change.id());
    }
  }

  /** Some changes of a part are not known. */
  void missed(int part) {
    parts.get(part).misses.incrementAndGet();
  }

  /** Reads the names of all parts with changes that were missed, together with readings that are under way. */
  CompletableFuture<Void> refresh() {
    return CompletableFuture.allOf(
        parts.stream().map(Part::refresh).toArray(CompletableFuture[]::new));
  }

  /** The knowledge about the names of one part. */
  private final class Part {
    private final int number;
    private final AtomicInteger misses = new AtomicInteger(1);
    private final AtomicReference<@Nullable CompletableFuture<Void>> reading =
        new AtomicReference<>();
    private volatile boolean hasFailed;
    private volatile int read; // the misses before the last reading

    Part(int number) {
      this.number = number;
    }

    // The reading that is under way may have begun before the last miss.
    CompletableFuture<Boolean> areKnown() {
      int needed = misses.get();
      return requested(needed)
          .thenCompose(done -> requested(needed))
          .thenApply(done -> read - needed >= 0);
    }

    // After a failure the next look reads, and no request does: Redis would be read for each.
    private CompletableFuture<Void> requested(int needed) {
      if (read - needed >= 0) {
        return CompletableFuture.completedFuture(null);
      }
      CompletableFuture<Void> running = reading.get();
      if (running != null) {
        return running;
      }
      return hasFailed ? CompletableFuture.completedFuture(null) : refresh();
    }

    CompletableFuture<Void> refresh() {
      if (read == misses.get()) {
        return CompletableFuture.completedFuture(null);
      }
      CompletableFuture<Void> mine = new CompletableFuture<>();
      CompletableFuture<Void> running = reading.compareAndExchange(null, mine);
      if (running != null) {
        return running;
      }
      int before = misses.get();
      CompletableFuture<Void> unused = new Listing(records)
          .subjects(number)
          .handle((all, error) -> {
            hasFailed = error != null;
            if (error == null) {
              names.addAll(all);
              read = before;
            }
            reading.set(null);
            mine.complete(null);
            return null;
          });
      return mine;
    }
  }
}
