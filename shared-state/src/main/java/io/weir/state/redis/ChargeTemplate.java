package io.weir.state.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.slot.SlotMode;
import io.weir.slot.SlotRules;
import io.weir.state.redis.Levels.Layout;
import io.weir.throttle.Charge;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What all charges of one operation by one plan have in common, as the bytes that a script reads: encoded
 * once, sent once a batch. The bytes are immutable; the marks belong to whoever gathers batches.
 */
final class ChargeTemplate {
  private static final int NUMBER_BYTES = 7;
  private static final int SCOPES = 3;

  private final long revision;
  private final List<Draw> draws;
  private final SlotRules slots;
  private final byte[] bytes;
  private final int[] scopes;
  private final Layout[] own;
  /** By scope, of the values that were read last. Replaced as a whole: any thread may read them. */
  private final @Nullable Layout[] layouts = new @Nullable Layout[SCOPES + 1];

  /** The batch that has these terms among its arguments, and where. */
  long batch = -1;

  int argument;

  ChargeTemplate(Charge charge) {
    revision = charge.revision();
    draws = charge.draws();
    slots = charge.slots();
    scopes = draws.stream().mapToInt(draw -> codeOf(draw)).distinct().toArray();
    bytes = encoded();
    own = IntStream.rangeClosed(0, SCOPES)
        .mapToObj(scope -> new Layout(draws, scope))
        .toArray(Layout[]::new);
  }

  /** Whether a charge has these. */
  boolean areOf(Charge charge) {
    return revision == charge.revision() && draws == charge.draws() && slots.equals(charge.slots());
  }

  byte[] bytes() {
    return bytes;
  }

  /** The scopes it draws from, by their codes, in the order in which they come first. */
  int[] scopes() {
    return scopes;
  }

  /** Whether nobody but the subject draws from these buckets. */
  boolean areOfKeyAlone() {
    return scopes.length == 1 && scopes[0] == 1;
  }

  boolean has(int scope) {
    return Arrays.stream(scopes).anyMatch(code -> code == scope);
  }

  List<Draw> draws() {
    return draws;
  }

  /** For each draw, which number of this value of a state it is; -1 where it has none there. */
  int[] layout(int scope, Answers.Text value) {
    if (Layout.isOwn(value)) {
      return own[scope].places();
    }
    Layout known = layouts[scope];
    if (known == null || !known.isOf(value)) {
      known = new Layout(draws, scope, Layout.fields(value));
      layouts[scope] = known;
    }
    return known.places();
  }

  boolean isOff() {
    return slots.mode() == SlotMode.OFF;
  }

  static int codeOf(Draw draw) {
    return switch (draw.bucket().scope()) {
      case KEY -> 1;
      case TENANT -> 2;
      case CLUSTER -> 3;
    };
  }

  /** The field of a state that holds what is used of the bucket. */
  static byte[] field(Bucket bucket) {
    return (bucket.name() + "@" + bucket.milliOpsPerSec()).getBytes(US_ASCII);
  }

  private byte[] encoded() {
    ByteBuf to = Unpooled.buffer();
    writeNumber(to, revision);
    to.writeByte(codeOf(slots.mode()));
    writeNumber(to, slots.latenessMicros());
    to.writeInt(slots.maxQueue());
    writeNumber(to, slots.horizonMicros());
    to.writeByte(areOfKeyAlone() ? 1 : 0);
    to.writeShort(draws.size());
    for (Draw draw : draws) {
      Bucket bucket = draw.bucket();
      to.writeByte(codeOf(draw));
      writeNumber(to, bucket.milliOpsPerSec());
      writeNumber(to, bucket.capacityUnits());
      writeNumber(to, draw.unitsPerOperation());
    }
    for (int i = 0; i < draws.size(); i++) {
      if (i > 0) {
        to.writeByte(' ');
      }
      to.writeBytes(field(draws.get(i).bucket()));
    }
    return Arrays.copyOf(to.array(), to.writerIndex());
  }

  /** Writes a number below 2⁵³ in seven bytes, the most significant first. */
  static void writeNumber(ByteBuf to, long number) {
    to.writeMedium((int) (number >>> 32)).writeInt((int) number);
  }

  /** Reads it again. */
  static long number(byte[] from, int at) {
    long number = 0;
    for (int i = at; i < at + NUMBER_BYTES; i++) {
      number = (number << 8) | (from[i] & 0xff);
    }
    return number;
  }

  static int codeOf(SlotMode mode) {
    return switch (mode) {
      case RESERVE -> 0;
      case ESTIMATE -> 1;
      case OFF -> 2;
    };
  }
}
