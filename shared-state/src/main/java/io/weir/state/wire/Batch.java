package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.kind.Hold;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Charges that travel in one call, as the arguments of a lane's script. Those of one subject are in the order in which
 * they were asked; equal ones in sequence share one entry. Mutable; used by one thread at a time, reused.
 */
public final class Batch {
  /** Instead of a weight: a charge is not added, because the batch is full. */
  public static final int FULL = -1;

  private static final int RATES_BYTES = 21;
  private static final int OTHERS_BYTES = 30;
  private static final int STATES_BYTES = 2;
  private static final int CLOCK_BYTES = 7;

  private final Lane lane;
  private final CallKeys keys;
  private final List<EqualCharges> entries = new ArrayList<>();
  private final Map<Owner, EqualCharges> lastOf = new HashMap<>();
  private final ByteBuf arguments = Unpooled.buffer(1024);

  private long number;
  private int argumentCount;
  private int chargeCount;
  private int weight;
  private boolean isSentAgain;

  /** @param policy the key that has the newest revision, of the partition of all charges */
  public Batch(Lane lane, String policy) {
    this.lane = lane;
    this.keys = new CallKeys(policy);
  }

  /**
   * Clears the batch, to be filled.
   *
   * @param newNumber different from that of any batch that contained the same template
   */
  public void begin(long newNumber) {
    entries.clear();
    lastOf.clear();
    keys.begin();
    arguments.clear();
    number = newNumber;
    isSentAgain = false;
    argumentCount = 1;
    chargeCount = 0;
    weight = 0;
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Whether it may be sent once more: true for the first call only. */
  public boolean mayBeSentAgain() {
    boolean first = !isSentAgain;
    isSentAgain = true;
    return first;
  }

  public List<EqualCharges> entries() {
    return entries;
  }

  /** All charges, in the order of the entries. */
  public void forEach(Consumer<PendingCharge> consumer) {
    for (EqualCharges entry : entries) {
      PendingCharge pending = entry.first();
      while (pending != null) {
        PendingCharge next = pending.next();
        consumer.accept(pending);
        pending = next;
      }
    }
  }

  /**
   * Adds a charge, unless the batch is full.
   *
   * @param others the demands of the charge other than rates, if it has any
   * @return what it weighs, or {@link #FULL}
   */
  public int add(PendingCharge pending, ChargeTemplate template, @Nullable OthersTemplate others) {
    EqualCharges last = lastOf.get(Owner.of(pending.charge()));
    boolean isEqual = last != null && isEqual(last, pending, template);
    int weighs = lane.weights().of(pending, template, others, isEqual);
    if (chargeCount == lane.maxCharges() || (weight > 0 && weight + weighs > Weights.MOST)) {
      return FULL;
    }
    chargeCount++;
    weight += weighs;
    if (isEqual) {
      requireNonNull(last).append(pending);
      return weighs;
    }
    join(pending, template, others);
    return weighs;
  }

  /** Adds a charge to those that are in the batch, in any case: it is decided as one with them. */
  public void join(
      PendingCharge pending, ChargeTemplate template, @Nullable OthersTemplate others) {
    Charge charge = pending.charge();
    EqualCharges last = lastOf.get(Owner.of(charge));
    int key = last == null ? keys.addKey(charge.tenant(), charge.subject()) : last.key();
    int argument = argumentOf(template);
    EqualCharges entry = new EqualCharges(
        pending,
        template,
        new EqualCharges.Keys(
            key,
            template.isShared() || has(others, 2) ? keys.tenant(charge.tenant()) : 0,
            template.has(3) || has(others, 3) ? keys.cluster() : 0),
        new EqualCharges.Arguments(
            argument,
            others == null ? 0 : argumentOf(others, charge),
            lane.hasOthers() ? holdOf(charge, template) : 0,
            ticketOf(charge.ticket())),
        ticketsOf(charge));
    lastOf.put(Owner.of(charge), entry);
    entries.add(entry);
  }

  /**
   * The arguments of FCALL, EVALSHA or EVAL, as they are now.
   *
   * @param notAfterMicros the instant of Redis's clock after which nothing of it is decided; 0 for never
   */
  public CommandArgs<String, String> argumentsFor(byte[] script, long notAfterMicros) {
    return new Arguments(script, notAfterMicros);
  }

  // No charge of another subject on the same buckets is overtaken.
  private boolean isEqual(EqualCharges last, PendingCharge pending, ChargeTemplate template) {
    return lane.joinsEqual()
        && last.isEqual(pending, template)
        && (last == entries.get(entries.size() - 1) || template.areOfKeyAlone());
  }

  private int argumentOf(ChargeTemplate template) {
    if (template.batch != number) {
      template.batch = number;
      Bulk.writeText(arguments, template.bytes());
      template.argument = ++argumentCount;
    }
    return template.argument;
  }

  private static boolean has(@Nullable OthersTemplate others, int scope) {
    return others != null && others.has(scope);
  }

  private int argumentOf(OthersTemplate others, Charge charge) {
    others.keys(charge).forEach(keys::other);
    if (others.batch != number) {
      others.batch = number;
      Bulk.writeText(arguments, others.text());
      others.argument = ++argumentCount;
    }
    return others.argument;
  }

  private int holdOf(Charge charge, ChargeTemplate template) {
    if (charge.extras().hold().isEmpty()) {
      return 0;
    }
    Hold hold = charge.extras().hold().get();
    keys.other(RedisKeys.hold(RedisKeys.key(charge.tenant(), charge.subject()), hold.id()));
    keys.other(RedisKeys.holds(keys.policy()));
    if (hold.reserves()) {
      template.countersOf(charge).forEach(keys::other);
    }
    Bulk.writeText(arguments, OthersTemplate.bytes(hold));
    return ++argumentCount;
  }

  private int ticketOf(TicketRequest ticket) {
    if (ticket.isNone()) {
      return 0;
    }
    String text =
        ticket.withinMicros() + " " + ticket.secret() + " " + ticket.shown().orElse("");
    Bulk.writeText(arguments, text.getBytes(US_ASCII));
    return ++argumentCount;
  }

  // Nothing is promised to a charge without slots, but it may show a ticket of before.
  private int ticketsOf(Charge charge) {
    return charge.ticket().isNone()
        ? 0
        : keys.other(RedisKeys.tickets(RedisKeys.key(charge.tenant(), charge.subject())));
  }

  private int entryBytes() {
    return lane.hasOthers() ? OTHERS_BYTES : RATES_BYTES;
  }

  /** Encodes itself, without a string or a box on the way. */
  private final class Arguments extends CommandArgs<String, String> {
    private final byte[] script;
    private final long notAfterMicros;

    Arguments(byte[] script, long notAfterMicros) {
      super(StringCodec.ASCII);
      addKey(keys.policy()); // by this key a Redis Cluster finds the node
      this.script = script;
      this.notAfterMicros = notAfterMicros;
    }

    @Override
    public int count() {
      return 2 + keys.all() + argumentCount + (lane.isRehearsal() ? 1 : 0);
    }

    @Override
    public void encode(ByteBuf to) {
      Bulk.writeText(to, script);
      Bulk.writeText(to, Integer.toString(keys.all()).getBytes(US_ASCII));
      keys.write(to);
      Bulk.writeLength(to, CLOCK_BYTES + STATES_BYTES + entryBytes() * entries.size());
      ChargeTemplate.writeNumber(to, notAfterMicros);
      to.writeShort(keys.beforeOthers() - 1);
      for (EqualCharges entry : entries) {
        entry.write(to, lane.hasOthers(), keys.beforeOthers());
      }
      to.writeBytes(Bulk.CRLF).writeBytes(arguments, 0, arguments.writerIndex());
      if (lane.isRehearsal()) {
        Bulk.writeLength(to, CLOCK_BYTES * entries.size());
        for (EqualCharges entry : entries) {
          ChargeTemplate.writeNumber(to, entry.first().clockMicros());
        }
        to.writeBytes(Bulk.CRLF);
      }
    }
  }
}
