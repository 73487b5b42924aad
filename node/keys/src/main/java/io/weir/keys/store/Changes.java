package io.weir.keys.store;

import io.weir.keys.store.KeyStatuses.KeyChanges;
import java.util.List;

/**
 * The changes since a look.
 *
 * @param status whether the list goes on from where it was seen
 * @param nowMicros by Redis's clock
 * @param left how many come after these
 */
public record Changes(
    KeyChanges status, Cursor cursor, long nowMicros, long left, List<ListedChange> changes) {
  public Changes {
    changes = List.copyOf(changes);
  }
}
