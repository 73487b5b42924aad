package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Keys that were refused a moment ago, so that each costs one reading of its record. Mutable; safe for use by many threads. */
final class RefusedKeys {
  private static final int MOST = 50_000;
  private static final Duration LASTS = Duration.ofMinutes(1);

  private final KeyCache records;
  /** The version of the record that refused each, empty for none; by the hash of the key. */
  private final Cache<String, OptionalLong> versions =
      Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(LASTS).build();

  RefusedKeys(KeyCache records) {
    this.records = records;
  }

  /** Remembers that a key does not open the record that was read, which may be none. */
  void add(String keyHash, Optional<Known> read) {
    OptionalLong version = read.map(
            known -> OptionalLong.of(known.entry().history().version()))
        .orElseGet(OptionalLong::empty);
    versions.put(keyHash, version);
  }

  /** Whether a key was refused by the record of an id as it still is. */
  boolean contains(String keyHash, String id) {
    OptionalLong by = versions.getIfPresent(keyHash);
    if (by == null) {
      return false;
    }
    return by.isEmpty()
        ? records.isUnknown(id)
        : records
            .get(id)
            .filter(records::isCurrent)
            .filter(known -> known.entry().history().version() == by.getAsLong())
            .isPresent();
  }
}
