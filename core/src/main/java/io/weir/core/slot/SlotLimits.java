package io.weir.core.slot;

/** The limits of time and size for places. {@code lua/lib/times.lua} has the same. */
public final class SlotLimits {
  public static final long SECOND_US = 1_000_000;

  /** The least lateness of a caller that its place must bear; otherwise no place is made. */
  public static final long TOLERANCE_US = 20_000;

  /** The travel time of an answer and the next request, for a caller that waits for whole seconds. */
  public static final long ON_ITS_WAY_US = 30_000;

  /** The longest delay of a slot so that its place can be held. */
  public static final long MAX_PUT_OFF_US = 150_000;

  /** The longest time ahead of an estimate of a bucket of scope {@code cluster}. */
  public static final long SHARED_SPREAD_US = 10_000_000;

  /** How long a queue is kept after its last place, so that its time to live is rarely set. */
  public static final long KEPT_US = 60_000_000;

  /** The most overdue places that one charge removes, unless all are overdue. */
  public static final long SWEPT_AT_MOST = 16;

  /** The largest level, including unclaimed capacity; below 2⁵³. */
  public static final long MAX_UNITS = 9_007_000_000_000_000L;

  private SlotLimits() {}
}
