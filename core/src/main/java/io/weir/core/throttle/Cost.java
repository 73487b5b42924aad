package io.weir.core.throttle;

/**
 * The operations that a request takes: as many as its limits have left, up to {@code most}, and not less than {@code
 * least}. Most requests take all or nothing.
 *
 * @param most above 0
 * @param least from 1 to {@code most}
 */
public record Cost(long most, long least) {
  public Cost {
    if (most <= 0) {
      throw new IllegalArgumentException("cost: %d (expected: > 0)".formatted(most));
    }
    if (least < 1 || least > most) {
      throw new IllegalArgumentException(
          "atLeast: %d (expected: 1 to %d, the cost)".formatted(least, most));
    }
  }

  /** A cost that is taken as a whole, or not at all. */
  public static Cost of(long operations) {
    return new Cost(operations, operations);
  }

  /** Whether less than {@link #most} is accepted. */
  public boolean isPartial() {
    return least < most;
  }
}
