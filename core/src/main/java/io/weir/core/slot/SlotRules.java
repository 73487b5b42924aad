package io.weir.core.slot;

/**
 * The rules of a plan for places.
 *
 * @param latenessMicros how long after its slot a place is kept
 * @param maxQueue the most places in a queue
 * @param horizonMicros how far ahead places are made at most; half of that without a ticket
 */
public record SlotRules(SlotMode mode, long latenessMicros, int maxQueue, long horizonMicros) {

  /** No places and no spacing. */
  public static final SlotRules OFF = new SlotRules(SlotMode.OFF, 500_000, 10_000, 60_000_000);

  /** The rules of a plan that configures none. */
  public static final SlotRules DEFAULT =
      new SlotRules(SlotMode.RESERVE, 500_000, 10_000, 60_000_000);

  /** The rules for a key that already waits in the tenant's queue: the other half is for the tenant's other keys. */
  public SlotRules halved() {
    return new SlotRules(mode, latenessMicros, maxQueue / 2, horizonMicros / 2);
  }

  /** The same rules for a queue that is already full. */
  public SlotRules withoutNewPlaces() {
    return new SlotRules(mode, latenessMicros, 0, horizonMicros);
  }

  /**
   * The least lateness of a caller that a place must bear, because of networks and timers; otherwise no place is made.
   */
  public long toleranceMicros() {
    return Math.min(latenessMicros, SlotLimits.TOLERANCE_US);
  }
}
