package io.weir.state.redis.wire;

import io.netty.buffer.ByteBuf;
import io.weir.core.slot.TicketRequest;

/** Equal charges of one subject in sequence. */
public final class Entry {
  private static final long MAX_COST = (1L << 53) - 1;

  private final ChargeTemplate template;
  private final int argument;
  private final int key;
  private final int tenant;
  private final int cluster;
  private final int others;
  private final int hold;
  private final int ticket;

  private final PendingCharge first;
  private PendingCharge last;
  private int count = 1;

  Entry(
      PendingCharge pending,
      ChargeTemplate template,
      int argument,
      int key,
      int tenant,
      int cluster,
      int others,
      int hold,
      int ticket) {
    this.first = pending;
    this.last = pending;
    this.template = template;
    this.argument = argument;
    this.key = key;
    this.tenant = tenant;
    this.cluster = cluster;
    this.others = others;
    this.hold = hold;
    this.ticket = ticket;
  }

  /** The index in KEYS of the state of the key. */
  int key() {
    return key;
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
        && (!hasPlaces || (ticket == 0 && isWithoutTicket(pending.charge().ticket())));
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
    to.writeShort(argument);
    if (!hasOthers || hasPlaces) {
      to.writeShort(count);
    }
    ChargeTemplate.writeNumber(to, Math.min(first.charge().cost(), MAX_COST));
    to.writeShort(key).writeShort(tenant).writeShort(cluster);
    if (hasOthers) {
      to.writeShort(others).writeShort(hold);
    }
    if (hasPlaces) {
      to.writeShort(ticket).writeShort(first.spare());
    }
  }
}
