package io.weir.keys.store;

import io.weir.keys.record.Entry;
import io.weir.keys.record.Kind;
import io.weir.keys.record.Stamp;
import java.util.Optional;

/**
 * A change of a record.
 *
 * @param what the verb, for the audit; empty for a change without a line of audit
 * @param before the record as it was seen; empty if there was none
 * @param after the record as it shall be; empty to remove it
 */
public record Change(String what, Stamp stamp, Optional<Entry> before, Optional<Entry> after) {
  /** A change that is not told to people, such as one of many of an import. */
  public static final String SILENT = "";

  Entry any() {
    return after.or(() -> before).orElseThrow();
  }

  Kind kind() {
    return any().kind();
  }
}
