package io.weir.keys.store;

import io.weir.keys.record.RecordType;

/** The names of records in the list of changes, as of {@link ListedChange#name}, and what they stand for in Redis. */
public final class ListedNames {
  /** Before the hash of a key without an id in its text. */
  public static final String OF = "of:";

  /** Before the name of an operator's token. */
  public static final String TOKEN = "token:";

  private ListedNames() {}

  /** The part of a name behind the colon. */
  static String id(String name) {
    return name.substring(name.indexOf(':') + 1);
  }

  /** The key in Redis of the record. */
  static String record(String name) {
    String id = id(name);
    if (name.startsWith(OF)) {
      return KeyNames.alias(id);
    }
    return name.startsWith(TOKEN) ? KeyNames.token(id) : KeyNames.record(kind(name), id);
  }

  /** The key in Redis of the index with the record; of a key's other name, that of the record. */
  static String index(String name) {
    if (name.startsWith(OF)) {
      return record(name);
    }
    return name.startsWith(TOKEN) ? KeyNames.tokenIndex() : KeyNames.index(kind(name), id(name));
  }

  private static RecordType kind(String name) {
    return name.startsWith(RecordType.TENANT.word() + ":") ? RecordType.TENANT : RecordType.KEY;
  }
}
