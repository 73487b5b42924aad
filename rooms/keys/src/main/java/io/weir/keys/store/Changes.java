package io.weir.keys.store;

import java.util.List;

/**
 * The changes since a look.
 *
 * @param areLost whether some of them are not known
 * @param nowMicros by Redis's clock
 * @param left how many come after these
 * @param names of the changed records, as {@code key:<id>}
 */
public record Changes(
    boolean areLost, Cursor cursor, long nowMicros, long left, List<String> names) {
  public Changes {
    names = List.copyOf(names);
  }
}
