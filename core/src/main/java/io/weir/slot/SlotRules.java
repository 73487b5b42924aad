package io.weir.slot;

/**
 * The rules of a plan for places.
 *
 * @param latenessMicros how long after its slot a place is kept
 * @param maxQueue how many places wait in a queue at most
 * @param horizonMicros how far ahead a place is made at most; half as far without a ticket
 */
public record SlotRules(SlotMode mode, long latenessMicros, int maxQueue, long horizonMicros) {

  /** No places, no spreading. */
  public static final SlotRules OFF = new SlotRules(SlotMode.OFF, 500_000, 10_000, 60_000_000);

  /** What holds where a plan says nothing. */
  public static final SlotRules DEFAULT =
      new SlotRules(SlotMode.RESERVE, 500_000, 10_000, 60_000_000);

  /** What is left to a key that waits in the tenant's queue already: the other half is for its other keys. */
  public SlotRules halved() {
    return new SlotRules(mode, latenessMicros, maxQueue / 2, horizonMicros / 2);
  }

  /** The same with a queue that is full already. */
  public SlotRules withoutNewPlaces() {
    return new SlotRules(mode, latenessMicros, 0, horizonMicros);
  }

  /**
   * By how much a caller must be able to miss its slot for a place to be worth making: what a
   * network and a timer need.
   */
  public long toleranceMicros() {
    return Math.min(latenessMicros, SlotLimits.TOLERANCE_US);
  }
}
