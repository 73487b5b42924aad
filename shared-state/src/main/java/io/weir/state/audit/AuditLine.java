package io.weir.state.audit;

/**
 * A line of the audit.
 *
 * @param id of the line; begins with the millisecond, by Redis's clock
 * @param record what was changed, as {@code key:<id>} or {@code policy}
 * @param before the record as JSON, empty for none; never with a secret or its hash
 */
public record AuditLine(
    String id, String who, String what, String record, String before, String after) {
  /** The moment, by Redis's clock. */
  public long atMillis() {
    return Long.parseLong(id.substring(0, id.indexOf('-')));
  }
}
