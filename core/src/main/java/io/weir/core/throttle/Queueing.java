package io.weir.core.throttle;

import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;

/**
 * How a charge that is denied waits.
 *
 * @param slots the rules of the subject's plan for places
 * @param ticket the ticket that the caller shows or wants
 */
public record Queueing(SlotRules slots, TicketRequest ticket) {
  /** A charge without places. */
  public static final Queueing NONE = new Queueing(SlotRules.OFF, TicketRequest.NONE);

  /** With places, for a caller without a ticket. */
  public static Queueing of(SlotRules slots) {
    return new Queueing(slots, TicketRequest.NONE);
  }

  /** The same if no memory is left for a longer queue: an existing place counts, but none is made. */
  public Queueing withoutNewPlaces() {
    return slots.mode() == SlotMode.RESERVE ? new Queueing(slots.withoutNewPlaces(), ticket) : this;
  }
}
