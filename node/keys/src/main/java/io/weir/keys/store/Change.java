package io.weir.keys.store;

import io.weir.keys.record.RecordType;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A change of a record.
 *
 * @param what the verb, for the audit; empty for a change without a line of audit
 * @param before the record as it was seen; empty if there was none
 * @param after the record as it shall be; empty to remove it
 */
public record Change(
    String what, Stamp stamp, Optional<StoredRecord> before, Optional<StoredRecord> after) {
  /** A change that is not told to people, such as one of many of an import. */
  public static final String SILENT = "";

  private static final int MOST_OF_AUDIT_LINE = 2000;

  /** Its author, kind, record before and record after, as of the audit; empty for a silent change. */
  List<String> audit() {
    return what.equals(SILENT)
        ? List.of("", "", "", "")
        : List.of(stamp.by(), what, json(before), json(after));
  }

  // A record with much text would take the place of many other lines.
  private static String json(Optional<StoredRecord> entry) {
    String json = entry.map(it -> it.toJson().encode()).orElse("");
    return json.length() <= MOST_OF_AUDIT_LINE
        ? json
        : entry
            .map(it -> it.with(
                new Settings(
                    it.settings().plan(),
                    it.settings().validity(),
                    List.of(),
                    Map.of(),
                    "(too long for the audit)",
                    it.settings().mostKeys()),
                it.history().changed()))
            .map(it -> it.toJson().encode())
            .orElse("");
  }

  /** Its line of the list of changes, with the version that it gave the record. */
  public ListedChange listed(long version) {
    StoredRecord.Name name = any().name();
    return new ListedChange(name.kind().word() + ":" + name.id(), version, after.isEmpty());
  }

  StoredRecord any() {
    return after.or(() -> before).orElseThrow();
  }

  RecordType kind() {
    return any().name().kind();
  }
}
