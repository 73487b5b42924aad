package io.weir.node.batch;

/**
 * What became of an item that was sent, and of its claim.
 *
 * @param claim what its claim is for from now on
 */
record Sent(Done done, OfTheClaim claim) {
  /** What becomes of a claim. */
  enum OfTheClaim {
    /** The answer is kept. */
    KEEP,
    /** Anybody may try again. */
    RELEASE,
    /** Nobody knows what became of the item: the next one shall hear so. */
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
