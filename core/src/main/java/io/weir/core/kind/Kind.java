package io.weir.core.kind;

/** The kinds of limits. */
public enum Kind {
  /** Operations over time: a leaky bucket. */
  RATE("rate"),
  /** Operations in a period. */
  QUOTA("quota"),
  /** Requests at the same time. */
  PERMIT("permit"),
  /** The level of a bucket, reported as a multiplier. */
  CONGESTION("congestion");

  private final String word;

  Kind(String word) {
    this.word = word;
  }

  /** The name in answers and logs. */
  public String word() {
    return word;
  }
}
