package io.weir.keys.directory;

import io.weir.keys.store.ListedChange;
import io.weir.keys.store.StoredFields;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a node has heard of in the last hour, with their contents: a Redis that comes back with an older copy
 * gets them back, and until then none of its older records counts. Bounded; of too many the newest are kept. Mutable;
 * safe for use by many threads.
 */
final class RecentChanges {
  private static final long LASTS_NANOS = 3_600_000_000_000L;
  private static final long MOST_BYTES = 8 << 20;
  private static final int BYTES = 200;
  private static final ProblemDetails UNCERTAIN = ProblemDetails.of(
      503, "key_uncertain", "The record was changed, and Redis has come back without the change");

  private final LongSupplier nanos;
  private final Map<String, Recent> byName = new LinkedHashMap<>(); // the oldest first
  private long bytes;

  RecentChanges(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** @param content null if it was not read yet */
  private record Recent(
      long version, long receivedNanos, @Nullable StoredFields content) {
    int bytes() {
      return BYTES + (content == null ? 0 : 2 * content.characters());
    }
  }

  /** Hears of a change; returns whether its content has to be read. */
  synchronized boolean add(ListedChange change) {
    Recent known = byName.get(change.name());
    if (known != null && known.version() >= change.version()) {
      return known.content() == null;
    }
    StoredFields content =
        change.isRemoval() ? StoredFields.removed(change.name(), change.version()) : null;
    put(change.name(), new Recent(change.version(), nanos.getAsLong(), content));
    return content == null;
  }

  /** Whether a record is known here, so that one that Redis does not have may be lost or removed. */
  synchronized boolean hasRecord(String name) {
    Recent known = byName.get(name);
    return known != null && known.content() != null && !known.content().isRemoved();
  }

  /** The records whose names begin so, and that are known here. */
  synchronized List<String> records(String begin) {
    return byName.keySet().stream()
        .filter(name -> name.startsWith(begin) && hasRecord(name))
        .toList();
  }

  /**
   * The version of a read record that applies: this one, or a newer one that is known here. Throws
   * {@link RefusedException} if only the version of a newer one is known.
   */
  synchronized StoredFields newest(StoredFields read) {
    Recent known = byName.get(read.name());
    if (known == null || read.version() > known.version()) {
      return read;
    }
    StoredFields content = known.content();
    if (content != null) {
      return content;
    }
    if (read.version() == known.version()) {
      put(read.name(), new Recent(known.version(), known.receivedNanos(), read));
      return read;
    }
    if (read.isRemoved()) {
      return read; // a refusal, either way
    }
    throw new RefusedException(UNCERTAIN);
  }

  /** The changes whose contents are known. */
  synchronized List<StoredFields> contents() {
    forget();
    return byName.values().stream()
        .flatMap(recent -> Optional.ofNullable(recent.content()).stream())
        .toList();
  }

  private void put(String name, Recent recent) {
    Recent before = byName.remove(name);
    bytes += recent.bytes() - (before == null ? 0 : before.bytes());
    byName.put(name, recent);
    forget();
  }

  private void forget() {
    long now = nanos.getAsLong();
    Iterator<Recent> oldest = byName.values().iterator();
    while (oldest.hasNext()) {
      Recent recent = oldest.next();
      if (bytes <= MOST_BYTES && now - recent.receivedNanos() < LASTS_NANOS) {
        return;
      }
      bytes -= recent.bytes();
      oldest.remove();
    }
  }
}
