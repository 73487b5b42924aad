package io.weir.state.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.slot.TicketRequest;
import io.weir.throttle.Charge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Charges that travel in one call, as the arguments of {@code charge.lua}. Those of one subject stand in the
 * order in which they were asked; equal ones that follow each other stand as one. Mutable; used by one thread
 * at a time, again and again.
 */
final class Batch {
  /** The most entries. With the next two it bounds how long Redis is held. */
  static final int MAX_ENTRIES = 64;

  /** The most charges: equal ones cost next to nothing where no appointments are made. */
  private static final int MAX_CHARGES = 256;

  /** The most draws of all charges that may need a look of their own: each denied one, where slots are on. */
  private static final int MAX_DRAWS = 256;

  private static final int ENTRY_BYTES = 19;
  private static final int CLOCK_BYTES = 7;
  private static final long MAX_COST = (1L << 53) - 1;
  private static final byte[] CRLF = {'\r', '\n'};
  private static final byte[] POLICY = RedisKeys.POLICY.getBytes(US_ASCII);
  private static final byte[] CLUSTER = RedisKeys.CLUSTER.getBytes(US_ASCII);

  private final boolean isRehearsal;
  private final int maxEntries;
  private final List<Entry> entries = new ArrayList<>(MAX_ENTRIES);
  private final Map<Owner, Entry> lastOf = new HashMap<>();
  private final Map<String, Integer> tenants = new HashMap<>();
  private final ByteBuf keys = Unpooled.buffer(MAX_ENTRIES * 64);
  private final ByteBuf arguments = Unpooled.buffer(1024);
  private long number;
  private int keyCount;
  private int argumentCount;
  private int chargeCount;
  private int drawCount;
  private int cluster;

  Batch(boolean isRehearsal, int maxEntries) {
    this.isRehearsal = isRehearsal;
    this.maxEntries = maxEntries;
  }

  /**
   * Makes it empty, to be filled.
   *
   * @param newNumber another one than that of any batch that the same terms were in
   */
  void begin(long newNumber) {
    entries.clear();
    lastOf.clear();
    tenants.clear();
    keys.clear();
    arguments.clear();
    number = newNumber;
    keyCount = 1;
    argumentCount = 1;
    chargeCount = 0;
    drawCount = 0;
    cluster = 0;
    writeText(keys, POLICY);
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  int charges() {
    return chargeCount;
  }

  List<Entry> entries() {
    return entries;
  }

  /** All questions, in the order of the entries. */
  void forEach(Consumer<Question> consumer) {
    for (Entry entry : entries) {
      Question question = entry.first;
      while (question != null) {
        Question next = question.next;
        consumer.accept(question);
        question = next;
      }
    }
  }

  /** Adds a question, unless the batch is full. */
  boolean add(Question question, Terms terms) {
    if (chargeCount == MAX_CHARGES) {
      return false;
    }
    Charge charge = question.charge;
    Owner owner = new Owner(charge.tenant(), charge.subject());
    Entry last = lastOf.get(owner);
    boolean isEqual = last != null && isEqual(last, question, terms);
    int draws = isEqual && terms.isOff() ? 0 : terms.draws().size();
    if ((drawCount > 0 && drawCount + draws > MAX_DRAWS)
        || (!isEqual && entries.size() == maxEntries)) {
      return false;
    }
    chargeCount++;
    drawCount += draws;
    if (isEqual) {
      requireNonNull(last).append(question);
      return true;
    }
    int key = last == null ? writeKey(charge) : last.key;
    Entry entry = new Entry(
        question,
        terms,
        argumentOf(terms),
        key,
        terms.has(2) ? tenant(charge.tenant()) : 0,
        terms.has(3) ? cluster() : 0,
        ticketOf(charge.ticket()));
    lastOf.put(owner, entry);
    entries.add(entry);
    return true;
  }

  /** The arguments of EVALSHA or EVAL, as they are now. */
  CommandArgs<String, String> argumentsFor(byte[] script) {
    return new Arguments(script);
  }

  // Nothing that another subject asked of the same buckets is overtaken.
  private boolean isEqual(Entry last, Question question, Terms terms) {
    return maxEntries > 1
        && last.isEqual(question, terms)
        && (last == entries.get(entries.size() - 1) || terms.areOfKeyAlone());
  }

  private int argumentOf(Terms terms) {
    if (terms.batch != number) {
      terms.batch = number;
      writeText(arguments, terms.bytes());
      terms.argument = ++argumentCount;
    }
    return terms.argument;
  }

  private int ticketOf(TicketRequest ticket) {
    if (ticket.newId().isEmpty() && ticket.shown().isEmpty()) {
      return 0;
    }
    String text =
        ticket.withinMicros() + " " + ticket.newId() + " " + ticket.shown().orElse("");
    writeText(arguments, text.getBytes(US_ASCII));
    return ++argumentCount;
  }

  private int writeKey(Charge charge) {
    RedisKeys.writeKey(keys, charge.tenant(), charge.subject());
    return ++keyCount;
  }

  private int tenant(String tenant) {
    return tenants.computeIfAbsent(tenant, name -> {
      writeText(keys, RedisKeys.tenant(name).getBytes(US_ASCII));
      return ++keyCount;
    });
  }

  private int cluster() {
    if (cluster == 0) {
      writeText(keys, CLUSTER);
      cluster = ++keyCount;
    }
    return cluster;
  }

  /** Writes a bulk string of the protocol. */
  static void writeText(ByteBuf to, byte[] text) {
    writeLength(to, text.length);
    to.writeBytes(text).writeBytes(CRLF);
  }

  /** Writes what stands before a bulk string. */
  static void writeLength(ByteBuf to, int length) {
    to.writeByte('$');
    if (length >= 10_000) {
      to.writeCharSequence(Integer.toString(length), US_ASCII);
    } else {
      for (int unit = length >= 1000 ? 1000 : length >= 100 ? 100 : length >= 10 ? 10 : 1;
          unit > 0;
          unit /= 10) {
        to.writeByte('0' + length / unit % 10);
      }
    }
    to.writeBytes(CRLF);
  }

  private record Owner(String tenant, String subject) {}

  /** Equal charges of one subject that follow each other. */
  static final class Entry {
    final Terms terms;
    private final int argument;
    private final int key;
    private final int tenant;
    private final int cluster;
    private final int ticket;

    final Question first;
    private Question last;
    int count = 1;

    Entry(
        Question question,
        Terms terms,
        int argument,
        int key,
        int tenant,
        int cluster,
        int ticket) {
      this.first = question;
      this.last = question;
      this.terms = terms;
      this.argument = argument;
      this.key = key;
      this.tenant = tenant;
      this.cluster = cluster;
      this.ticket = ticket;
    }

    private boolean isEqual(Question question, Terms other) {
      return ticket == 0
          && terms == other
          && first.charge.cost() == question.charge.cost()
          && first.clockMicros == question.clockMicros
          && question.charge.ticket().newId().isEmpty()
          && question.charge.ticket().shown().isEmpty();
    }

    private void append(Question question) {
      last.next = question;
      last = question;
      count++;
    }

    private void write(ByteBuf to) {
      to.writeShort(argument).writeShort(count);
      Terms.writeNumber(to, Math.min(first.charge.cost(), MAX_COST));
      to.writeShort(key).writeShort(tenant).writeShort(cluster).writeShort(ticket);
    }
  }

  /** Writes itself, without a string or a box on the way. */
  private final class Arguments extends CommandArgs<String, String> {
    private final byte[] script;

    Arguments(byte[] script) {
      super(StringCodec.ASCII);
      this.script = script;
    }

    @Override
    public int count() {
      return 2 + keyCount + argumentCount + (isRehearsal ? 1 : 0);
    }

    @Override
    public void encode(ByteBuf to) {
      writeText(to, script);
      writeText(to, Integer.toString(keyCount).getBytes(US_ASCII));
      to.writeBytes(keys, 0, keys.writerIndex());
      writeLength(to, ENTRY_BYTES * entries.size());
      for (Entry entry : entries) {
        entry.write(to);
      }
      to.writeBytes(CRLF).writeBytes(arguments, 0, arguments.writerIndex());
      if (isRehearsal) {
        writeLength(to, CLOCK_BYTES * entries.size());
        for (Entry entry : entries) {
          Terms.writeNumber(to, entry.first.clockMicros);
        }
        to.writeBytes(CRLF);
      }
    }
  }
}
