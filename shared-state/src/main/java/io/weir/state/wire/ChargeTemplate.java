package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.state.wire.Levels.Layout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all charges of one operation by one plan, as the bytes that a script reads: encoded once, sent
 * once a batch. The bytes are immutable; the marks belong to the code that gathers batches.
 */
public final class ChargeTemplate {
  private static final int NUMBER_BYTES = 7;
  private static final int SCOPES = 3;
  // Added to the code of a scope, see lua/lib/state/template_of.lua.
  private static final int PER_REQUEST = 8;
  private static final int OVERFLOW = 16;

  private final long revision;
  private final List<Demand> demands;
  private final SlotMode slots;
  private final byte[] bytes;
  private final int[] scopes;
  private final Layout[] own;
  /** By scope, of the values that were read last. Replaced as a whole: any thread may read them. */
  private final @Nullable Layout[] layouts = new @Nullable Layout[SCOPES + 1];

  /** The batch that has this template among its arguments, and the index of the argument. */
  public long batch = -1;

  public int argument;

  public ChargeTemplate(Charge charge) {
    revision = charge.revision();
    demands = charge.demands();
    slots = charge.slots();
    scopes = demands.stream().mapToInt(demand -> codeOf(demand)).distinct().toArray();
    bytes = encoded();
    own = IntStream.rangeClosed(0, SCOPES)
        .mapToObj(scope -> new Layout(demands, scope))
        .toArray(Layout[]::new);
  }

  /** Whether a charge has the demands of this template. */
  public boolean areOf(Charge charge) {
    return revision == charge.revision() && demands == charge.demands() && slots == charge.slots();
  }

  public byte[] bytes() {
    return bytes;
  }

  /** The scopes it demands from, by their codes, in the order in which they come first. */
  public int[] scopes() {
    return scopes;
  }

  /** The number of states of a tenant or of the cluster that it reads. */
  int sharedStates() {
    return (isShared() ? 1 : 0) + (has(3) ? 1 : 0);
  }

  /** The keys of the counters of all owners of these buckets: they have the marks of reservations. */
  List<String> countersOf(Charge charge) {
    return demands.stream()
        .map(demand -> demand.bucket().scope())
        .distinct()
        .map(scope -> RedisKeys.counters(RedisKeys.state(scope, charge.tenant(), charge.subject())))
        .toList();
  }

  /** Whether all of these buckets belong to the key alone. */
  public boolean areOfKeyAlone() {
    return scopes.length == 1 && scopes[0] == 1;
  }

  /** Whether some bucket belongs to a tenant or to the cluster. */
  boolean isShared() {
    return has(2) || has(3);
  }

  // Whether some demand counts requests as one operation, or is an overflow.
  private boolean isUnusual() {
    return demands.stream().anyMatch(demand -> demand.perRequest() || demand.overflow());
  }

  public boolean has(int scope) {
    for (int code : scopes) {
      if (code == scope) {
        return true;
      }
    }
    return false;
  }

  public List<Demand> demands() {
    return demands;
  }

  /** For each demand, the index of its number in this value of a state; -1 if it has none there. */
  public int[] layout(int scope, Answers.Text value) {
    if (Layout.isOwn(value)) {
      return own[scope].places();
    }
    Layout known = layouts[scope];
    if (known == null || !known.isOf(value)) {
      known = new Layout(demands, scope, Layout.fields(value));
      layouts[scope] = known;
    }
    return known.places();
  }

  public boolean isOff() {
    return slots == SlotMode.OFF;
  }

  public static int codeOf(Demand demand) {
    return codeOf(demand.bucket().scope());
  }

  public static int codeOf(Scope scope) {
    return switch (scope) {
      case KEY -> 1;
      case TENANT -> 2;
      case CLUSTER -> 3;
    };
  }

  /** The field of a state that holds the units used of the bucket: its name, {@code @}, and its rate. */
  public static byte[] field(Bucket bucket) {
    return (bucket.name() + "@" + bucket.rate()).getBytes(US_ASCII);
  }

  private byte[] encoded() {
    ByteBuf to = Unpooled.buffer();
    writeNumber(to, revision);
    to.writeByte(codeOf(slots));
    to.writeByte(areOfKeyAlone() && !isUnusual() ? 1 : 0);
    to.writeShort(demands.size());
    for (Demand demand : demands) {
      Bucket bucket = demand.bucket();
      int requests = demand.perRequest() ? PER_REQUEST : 0;
      to.writeByte(codeOf(demand) + requests + (demand.overflow() ? OVERFLOW : 0));
      writeNumber(to, bucket.unitsPerMicro());
      writeNumber(to, bucket.capacityUnits());
      writeNumber(to, demand.unitsPerOperation());
    }
    for (int i = 0; i < demands.size(); i++) {
      if (i > 0) {
        to.writeByte(' ');
      }
      to.writeBytes(field(demands.get(i).bucket()));
    }
    return Arrays.copyOf(to.array(), to.writerIndex());
  }

  /** Writes a number below 2⁵³ in seven bytes, the most significant first. */
  public static void writeNumber(ByteBuf to, long number) {
    to.writeMedium((int) (number >>> 32)).writeInt((int) number);
  }

  /** Reads a number that {@link #writeNumber} has written. */
  public static long number(byte[] from, int at) {
    long number = 0;
    for (int i = at; i < at + NUMBER_BYTES; i++) {
      number = (number << 8) | (from[i] & 0xff);
    }
    return number;
  }

  public static int codeOf(SlotMode mode) {
    return switch (mode) {
      case RESERVE -> 0;
      case ESTIMATE -> 1;
      case OFF -> 2;
    };
  }
}
