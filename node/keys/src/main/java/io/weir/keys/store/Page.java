package io.weir.keys.store;

import io.weir.keys.record.StoredRecord;
import java.util.List;

/**
 * A part of a list of records.
 *
 * @param next where the next part begins; empty at the end
 */
public record Page(List<StoredRecord> entries, String next) {
  public Page {
    entries = List.copyOf(entries);
  }
}
