package io.weir.core.slot;

/** The limits of time and size for places. {@code lua/lib/times.lua} has the same. */
public final class SlotLimits {
  public static final long SECOND_US = 1_000_000;

  /** The number of bins of a calendar. */
  public static final long BINS = 64;

  /** The same, of a calendar with fine bins. */
  public static final long FINE_BINS = 128;

  /** The widest bin of a bucket whose operations take less than eight times as long. */
  public static final long WIDEST_US = 250_000;

  /**
   * How far ahead a bucket of a tenant or of the cluster makes places, and the interval in which it counts those that
   * wait: at least this, and {@link #SHARED_OPERATIONS} of its operations.
   */
  public static final long SHARED_US = 2_000_000;

  /** See {@link #SHARED_US}. */
  public static final long SHARED_OPERATIONS = 4;

  /** A key's own turns count if those of its bucket are further away by this factor, and an interval. */
  public static final long PUSHED = 4;

  /** A key whose callers have no tickets is within its share if its turn is sooner than others' by this factor, and an interval. */
  public static final long PASSED_OVER = 2;

  /** A calendar counts in parts of its capacity as small as this, or in single units. */
  public static final long QUANTA = 1L << 44;

  /** The parts of the rate that may be promised if all callers return. */
  public static final long WHOLE = 64;

  /** How many tickets of a key may be open at once, at most. */
  public static final long TICKETS = 16_384;

  /** How many instants a key keeps at which callers without tickets are to return. */
  public static final long MOMENTS = 64;

  /** How many whole seconds are tried for a place of a caller without a ticket, from the first with room on. */
  public static final long SECONDS_TRIED = 16;

  /** The travel time of an answer and the next request, for a caller that waits whole seconds. */
  public static final long ON_ITS_WAY_US = 50_000;

  /** In which callers without tickets count as those that come together. */
  public static final long SLICE_US = 125_000;

  /** How far ahead an estimate is: at least this, the whole calendar, and {@link #TURNS} of its costs. */
  public static final long FURTHEST_US = 60_000_000;

  /** See {@link #FURTHEST_US}. */
  public static final long TURNS = 64;

  /**
   * How far ahead an estimate with a ticket is, in costs, if all that is promised is claimed: as many callers of one
   * instant have turns in their order.
   */
  public static final long TICKET_TURNS = 2048;

  /** How long after its slot a ticket shows that its holder has waited: at least this, and one operation of the bucket. */
  public static final long WAITED_US = 10_000_000;

  /** The longest time of one cost that shares and turns count: a year. */
  public static final long LONGEST_US = 31_536_000_000_000L;

  /** The longest wait for a bucket, 71 years: an instant so far ahead is exact in a script. */
  public static final long MOST_WAIT_US = 1L << 51;

  /** The most waiting keys of a bucket that are counted. */
  public static final long MOST_WAITING = 65_535;

  /** The largest level; below 2⁵³. */
  public static final long MAX_UNITS = 9_007_000_000_000_000L;

  private SlotLimits() {}
}
