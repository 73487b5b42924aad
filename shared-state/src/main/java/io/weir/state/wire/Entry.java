package io.weir.state.wire;

import io.netty.buffer.ByteBuf;
import io.weir.core.slot.TicketRequest;

/** Equal charges of one subject in sequence. */
public final class Entry {
  private static final long MAX_COST = (1L << 53) - 1;

  private final ChargeTemplate template;
  private final Keys keys;
  private final Arguments arguments;

  private final PendingCharge first;
  private PendingCharge last;
  private int count = 1;

  /** Indices in KEYS of states; 0 for a state that is not used. */
  record Keys(int key, int tenant, int cluster) {}

  /** Indices in ARGV; 0 for an argument that is not used. */
  record Arguments(int template, int others, int hold, int ticket) {}

  Entry(PendingCharge pending, ChargeTemplate template, Keys keys, Arguments arguments) {
    this.first = pending;
    this.last = pending;
    this.template = template;
    this.keys = keys;
    this.arguments = arguments;
  }

  /** The index in KEYS of the state of the key. */
  int key() {
    return keys.key();
  }

  public ChargeTemplate template() {
    return template;
  }

  /** The first of the equal charges. */
  public PendingCharge first() {
    return first;
  }

  /** The number of equal charges. */
  public int count() {
    return count;
  }

  // Without places there are no tickets: whether a ticket is wanted makes no difference.
  boolean isEqual(PendingCharge pending, ChargeTemplate other, boolean hasPlaces) {
    return template == other
        && !pending.charge().isMixed()
        && first.charge().cost() == pending.charge().cost()
        && first.clockMicros() == pending.clockMicros()
        && (!hasPlaces
            || (arguments.ticket() == 0 && isWithoutTicket(pending.charge().ticket())));
  }

  private static boolean isWithoutTicket(TicketRequest ticket) {
    return ticket.newId().isEmpty() && ticket.shown().isEmpty();
  }

  void append(PendingCharge pending) {
    last.append(pending);
    last = pending;
    count++;
  }

  void write(ByteBuf to, boolean hasOthers, boolean hasPlaces) {
    to.writeShort(arguments.template());
    if (!hasOthers || hasPlaces) {
      to.writeShort(count);
    }
    ChargeTemplate.writeNumber(to, Math.min(first.charge().cost(), MAX_COST));
    to.writeShort(keys.key()).writeShort(keys.tenant()).writeShort(keys.cluster());
    if (hasOthers) {
      to.writeShort(arguments.others()).writeShort(arguments.hold());
    }
    if (hasPlaces) {
      to.writeShort(arguments.ticket()).writeShort(first.spare());
    }
  }
}
