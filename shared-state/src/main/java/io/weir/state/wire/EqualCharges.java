package io.weir.state.wire;

import io.netty.buffer.ByteBuf;
import io.weir.core.throttle.Charge;

/** Equal charges of one subject in sequence. */
public final class EqualCharges {
  private static final long MAX_COST = (1L << 53) - 1;

  private final ChargeTemplate template;
  private final Keys keys;
  private final Arguments arguments;
  private final int tickets;

  private final PendingCharge first;
  private PendingCharge last;
  private int count = 1;

  /** Indices in KEYS of states; 0 for a state that is not used. */
  record Keys(int key, int tenant, int cluster) {}

  /** Indices in ARGV; 0 for an argument that is not used. */
  record Arguments(int template, int others, int hold, int ticket) {}

  /** @param tickets the index of the key's bitmap of tickets among the keys behind the states, 0 for none */
  EqualCharges(
      PendingCharge pending, ChargeTemplate template, Keys keys, Arguments arguments, int tickets) {
    this.first = pending;
    this.last = pending;
    this.template = template;
    this.keys = keys;
    this.arguments = arguments;
    this.tickets = tickets;
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

  // Callers who want a ticket share the secret of the first one: only one of them is ever used.
  boolean isEqual(PendingCharge pending, ChargeTemplate other) {
    return template == other
        && !pending.charge().isMixed()
        && first.charge().cost() == pending.charge().cost()
        && first.clockMicros() == pending.clockMicros()
        && first.charge().ticket().withinMicros() == pending.charge().ticket().withinMicros()
        && first.charge().ticket().shown().isEmpty()
        && pending.charge().ticket().shown().isEmpty();
  }

  void append(PendingCharge pending) {
    last.append(pending);
    last = pending;
    count++;
  }

  /** @param states the number of keys in front of those of tickets */
  void write(ByteBuf to, boolean hasOthers, int states) {
    to.writeShort(arguments.template());
    if (!hasOthers) {
      to.writeShort(count);
    }
    ChargeTemplate.writeNumber(to, Math.min(first.charge().cost(), MAX_COST));
    to.writeShort(keys.key()).writeShort(keys.tenant()).writeShort(keys.cluster());
    if (hasOthers) {
      to.writeShort(arguments.others()).writeShort(arguments.hold());
    }
    to.writeShort(arguments.ticket()).writeShort(tickets == 0 ? 0 : states + tickets);
    if (hasOthers) {
      ChargeTemplate.writeNumber(to, least());
    }
  }

  // 0 for all or nothing.
  private long least() {
    Charge charge = first.charge();
    return charge.isPartial() ? Math.min(charge.atLeast().cost(), MAX_COST) : 0;
  }
}
