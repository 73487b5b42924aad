package io.weir.core.throttle;

import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;

/**
 * How a charge that is denied waits.
 *
 * @param slots what the subject's plan gives denied callers
 * @param ticket the ticket that the caller shows or wants
 */
public record Queueing(SlotMode slots, TicketRequest ticket) {
  /** A charge without places. */
  public static final Queueing NONE = new Queueing(SlotMode.OFF, TicketRequest.NONE);

  /** With places, for a caller without a ticket. */
  public static Queueing of(SlotMode slots) {
    return new Queueing(slots, TicketRequest.NONE);
  }

  /** The same if no memory is left for a longer queue: an existing place counts, but none is made. */
  public Queueing withoutNewPlaces() {
    return new Queueing(slots.withoutNewPlaces(), ticket);
  }
}
