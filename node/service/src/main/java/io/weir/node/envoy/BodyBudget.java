package io.weir.node.envoy;

/** Bounds the bytes of all messages that have not been answered. Mutable; owned by one event loop. */
final class BodyBudget {
  private long left;

  BodyBudget(long bytes) {
    this.left = bytes;
  }

  /** Takes bytes, if there are so many. */
  boolean tryTake(int bytes) {
    boolean fits = bytes <= left;
    left -= fits ? bytes : 0;
    return fits;
  }

  void giveBack(int bytes) {
    left += bytes;
  }
}
