package io.weir.keys.directory;

import io.weir.keys.record.StoredRecord;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The record of a tenant, as a node knows it; shared by all of its keys. Mutable; safe for use by many threads. */
final class Tenant {
  private final String name;
  private final AtomicInteger changes = new AtomicInteger();
  private final AtomicInteger readings = new AtomicInteger();
  private volatile Seen seen = new Seen(Optional.empty(), -1, 0);

  Tenant(String name) {
    this.name = name;
  }

  /**
   * @param change how many changes had been announced when it was read
   * @param reading its number
   */
  private record Seen(Optional<StoredRecord> entry, int change, int reading) {}

  String name() {
    return name;
  }

  /** The record, if there is one. */
  Optional<StoredRecord> entry() {
    return seen.entry();
  }

  /** The number of changes that were announced; taken before the record is read. */
  int changes() {
    return changes.get();
  }

  /** Its record has changed. */
  void changed() {
    changes.incrementAndGet();
  }

  /** Its record, read after that many changes. */
  void read(Optional<StoredRecord> entry, int afterChanges) {
    seen = new Seen(entry, afterChanges, readings.incrementAndGet());
  }

  /** The number of the reading that {@link #entry} is from. */
  int reading() {
    return seen.reading();
  }

  boolean isCurrent() {
    return seen.change() == changes.get();
  }
}
