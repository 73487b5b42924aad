package io.weir.batch;

/**
 * The outcome of an item that was sent, and the fate of its claim.
 *
 * @param claim the fate of its claim
 */
record Sent(Done done, OfTheClaim claim) {
  /** The fate of a claim. */
  enum OfTheClaim {
    /** The answer is stored under it. */
    KEEP,
    /** It is released: the item may be tried again. */
    RELEASE,
    /** It stays: the outcome is unknown, and the next attempt is answered so. */
    LEAVE
  }

  static Sent keep(Done done) {
    return new Sent(done, OfTheClaim.KEEP);
  }

  static Sent release(Done done) {
    return new Sent(done, OfTheClaim.RELEASE);
  }

  static Sent leave(Done done) {
    return new Sent(done, OfTheClaim.LEAVE);
  }
}
