package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.weir.keys.store.ListedNames;
import io.weir.keys.store.StoredFields;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The ids of keys without an id in their text, by the hashes of these texts, as a node has read them. Mutable; safe for
 * use by many threads.
 */
final class KeyAliases {
  private static final int BYTES_OF_ALIAS = 500;

  private final Function<String, CompletableFuture<StoredFields>> newest;
  private final Consumer<String> unknown;
  private final Cache<String, StoredFields> read;
  private final AtomicInteger changes = new AtomicInteger();

  /**
   * Without any.
   *
   * @param mostBytes of memory, about
   * @param newest reads a record by its name in the list of changes
   * @param unknown gets a hash that is of no key
   */
  KeyAliases(
      long mostBytes,
      Function<String, CompletableFuture<StoredFields>> newest,
      Consumer<String> unknown) {
    this.newest = newest;
    this.unknown = unknown;
    this.read = Caffeine.newBuilder().maximumSize(mostBytes / BYTES_OF_ALIAS).build();
  }

  /** The id of a key, if it was looked up. */
  Optional<String> id(String hash) {
    return Optional.ofNullable(read.getIfPresent(hash)).flatMap(alias -> alias.field("id"));
  }

  /** Looks for the id of a key. */
  CompletableFuture<Optional<String>> lookUp(String hash) {
    int before = changes.get();
    return newest.apply(ListedNames.OF + hash).thenApply(found -> {
      if (changes.get() == before) {
        if (found.isRemoved()) {
          unknown.accept(hash);
        } else {
          read.put(hash, found);
        }
      }
      return found.field("id");
    });
  }

  /** Forgets one that has changed. */
  void changed(String hash) {
    changes.incrementAndGet();
    read.invalidate(hash);
  }

  /** Forgets all, as some may have changed. */
  void missed() {
    changes.incrementAndGet();
    read.invalidateAll();
  }

  Collection<StoredFields> all() {
    return read.asMap().values();
  }
}
