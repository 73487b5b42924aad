package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.codec.CRC16;
import java.util.stream.IntStream;

/**
 * The parts of the shared state that a Redis Cluster may keep on different masters. All keys of a tenant are in one
 * part: the CRC16 of its name (Redis Cluster specification, appendix A), modulo the number of parts.
 */
public final class Partition {
  /** The number of parts, the same for every Redis: the keys are the same everywhere. */
  public static final int COUNT = 64;

  private static final int TWO_DIGITS = 10;

  private Partition() {}

  /** All of them. */
  public static IntStream all() {
    return IntStream.range(0, COUNT);
  }

  /** The part of a tenant. */
  public static int of(String tenant) {
    return of(tenant.getBytes(US_ASCII));
  }

  static int of(byte[] tenant) {
    return CRC16.crc16(tenant) % COUNT;
  }

  /** The hash tag of a part, <code>{p07}</code>. */
  public static String tag(int partition) {
    return "{p" + (partition < TWO_DIGITS ? "0" : "") + partition + "}";
  }
}
