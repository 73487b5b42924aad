package io.weir.keys.record;

/** The kinds of records. */
public enum RecordType {
  KEY("key"),
  TENANT("tenant");

  private final String word;

  RecordType(String word) {
    this.word = word;
  }

  /** The word for it. */
  public String word() {
    return word;
  }
}
