package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.throttle.Charge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The demands other than rates of all charges of one operation by one plan, as the text that
 * {@code lua/lib/kinds/others_of.lua} reads. Valid for a while: calendars are sent as the instants around the present.
 */
public final class OthersTemplate {
  private static final int HOLD_BYTES = 9;

  private final List<KindDemand> demands;
  private final byte[] text;
  private final int[] scopes;
  private final int weight;
  private final long fromMicros;
  private final long untilMicros;

  /** The batch that has this template among its arguments, and the index of the argument. */
  public long batch = -1;

  public int argument;

  /** @param atMicros about the instant of the call */
  public OthersTemplate(List<KindDemand> demands, long atMicros) {
    this.demands = demands;
    this.fromMicros = atMicros;
    this.untilMicros = demands.stream()
        .mapToLong(demand -> demand.wordsHoldUntil(atMicros))
        .min()
        .orElse(Long.MAX_VALUE);
    this.scopes = demands.stream()
        .mapToInt(demand -> ChargeTemplate.codeOf(demand.scope()))
        .distinct()
        .toArray();
    this.weight = demands.stream()
        .mapToInt(demand -> demand.kind() == Kind.PERMIT ? Weights.PERMIT : Weights.KIND)
        .sum();
    this.text = demands.stream()
        .map(demand -> words(demand, atMicros))
        .collect(Collectors.joining(";"))
        .getBytes(US_ASCII);
  }

  /** Whether it has these demands, and is valid for about this instant. */
  @SuppressWarnings("ReferenceEquality") // one list for all charges of an operation by a plan
  public boolean isOf(List<KindDemand> of, long atMicros) {
    boolean isNow =
        untilMicros == Long.MAX_VALUE || (atMicros >= fromMicros && atMicros < untilMicros);
    return of == demands && isNow;
  }

  public byte[] text() {
    return text;
  }

  /** The weight of the demands, see {@link Weights}. */
  int weight() {
    return weight;
  }

  /** Whether one of the limits is of this scope. */
  boolean has(int scope) {
    return Arrays.stream(scopes).anyMatch(code -> code == scope);
  }

  /** The keys that a charge needs for them. */
  List<String> keys(Charge charge) {
    List<String> keys = new ArrayList<>();
    for (KindDemand demand : demands) {
      String state = RedisKeys.state(demand.scope(), charge.tenant(), charge.subject());
      keys.add(RedisKeys.counters(state));
      if (demand.kind() == Kind.PERMIT) {
        keys.add(RedisKeys.permits(state, demand.name()));
      }
    }
    return keys;
  }

  /** The hold of a request, as {@code lua/lib/kinds/mixed.lua} reads it. */
  static byte[] bytes(Hold hold) {
    byte[] id = (hold.id() + " " + hold.asked()).getBytes(US_ASCII);
    ByteBuf to = Unpooled.buffer(HOLD_BYTES + id.length);
    ChargeTemplate.writeNumber(to, hold.leaseMicros());
    to.writeByte(hold.reserves() ? 1 : 0)
        .writeByte(hold.refundsOnExpiry() ? 1 : 0)
        .writeBytes(id);
    return to.array();
  }

  private static String words(KindDemand demand, long atMicros) {
    return "%s%s %d %s %s"
        .formatted(
            demand.letter(),
            demand.overflow() ? "+" : "",
            ChargeTemplate.codeOf(demand.scope()),
            demand.name(),
            demand.words(atMicros));
  }
}
