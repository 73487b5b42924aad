package io.weir.keys.record;

/** The kinds of records. */
public enum Kind {
  KEY("key"),
  TENANT("tenant");

  private final String word;

  Kind(String word) {
    this.word = word;
  }

  /** The word for it. */
  public String word() {
    return word;
  }
}
