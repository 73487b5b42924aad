package io.weir.slot;

/** The constants of time and size that decide about places. {@code lua/lib/times.lua} has the same. */
public final class SlotLimits {
  public static final long SECOND_US = 1_000_000;

  /** By how much a caller must be able to miss its slot for a place to be worth making. */
  public static final long TOLERANCE_US = 20_000;

  /** The time that an answer and the next request travel, for a caller that waits whole seconds. */
  public static final long ON_ITS_WAY_US = 30_000;

  /** By how much a slot may be put off so that its place can be held. */
  public static final long MAX_PUT_OFF_US = 150_000;

  /** How far ahead an estimate of a bucket of all tenants is at most. */
  public static final long SHARED_SPREAD_US = 10_000_000;

  /** How long a queue is kept after its last place, so that its time to live is rarely set. */
  public static final long KEPT_US = 60_000_000;

  /** How many overdue places one charge lets go at most, unless all are overdue. */
  public static final long SWEPT_AT_MOST = 16;

  /** The largest number a level may reach, with what is unclaimed; below 2⁵³. */
  public static final long MAX_UNITS = 9_007_000_000_000_000L;

  private SlotLimits() {}
}
