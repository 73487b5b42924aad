package io.weir.kind;

/** What a limit limits. */
public enum Kind {
  /** Operations in time: a leaky bucket. */
  RATE("rate"),
  /** Operations in a period. */
  QUOTA("quota"),
  /** Requests that run at once. */
  PERMIT("permit"),
  /** How full a bucket is, told as a multiplier. */
  CONGESTION("congestion");

  private final String word;

  Kind(String word) {
    this.word = word;
  }

  /** The word in answers and logs. */
  public String word() {
    return word;
  }
}
