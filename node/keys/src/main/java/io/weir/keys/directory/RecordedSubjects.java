package io.weir.keys.directory;

import io.weir.core.bucket.Names;
import io.weir.keys.store.ListedChange;
import io.weir.keys.store.Listing;
import io.weir.keys.store.RedisRecords;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The names of subjects with records that are no ids of keys, such as {@code user:4711}. Rules cover any number of such
 * names, and operators give few of them a record: a node knows these, and looks for no record of the others. It may know
 * names whose record is gone, which costs a look-up. Mutable; safe for use by many threads.
 */
final class RecordedSubjects {
  private final RedisRecords records;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final AtomicInteger misses = new AtomicInteger(1);
  private final AtomicReference<@Nullable CompletableFuture<Void>> reading =
      new AtomicReference<>();
  private volatile boolean hasFailed;
  private volatile int read; // the misses before the last reading

  RecordedSubjects(RedisRecords records) {
    this.records = records;
  }

  /** Whether a subject has a record, after reading the names if changes were missed. */
  CompletableFuture<Boolean> find(String name) {
    int needed = misses.get();
    return requested()
        .thenCompose(
            done -> read - needed < 0 ? requested() : CompletableFuture.completedFuture(null))
        .thenApply(done -> contains(name));
  }

  // After a failure the next look reads, and no request does: Redis would be read for each.
  private CompletableFuture<Void> requested() {
    CompletableFuture<Void> running = reading.get();
    if (running != null) {
      return running;
    }
    return hasFailed ? CompletableFuture.completedFuture(null) : refresh();
  }

  /** The same, as far as the names are known. */
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

  /** Some changes are not known. */
  void missed() {
    misses.incrementAndGet();
  }

  /** Reads all names if changes were missed, together with a reading that is under way. */
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
    CompletableFuture<Void> unused = new Listing(records).subjects().handle((all, error) -> {
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
