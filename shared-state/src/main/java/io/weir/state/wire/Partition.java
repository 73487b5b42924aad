package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The parts of the limits that a Redis Cluster may keep on different masters. All limits of a tenant are in one part:
 * the hash slot of its name, modulo the number of parts. The slots of the parts are spaced evenly, so that masters with
 * equal ranges of slots have equal numbers of parts. What extensions keep is in a {@link ExtensionPartition}.
 */
public final class Partition {
  /** The number of parts, the same for every Redis: the least that 3, 6, 12, 16, 24 and 32 masters divide. */
  public static final int COUNT = 96;

  private static final List<String> TAGS =
      all().mapToObj(Partition::tagInTheMiddle).toList();

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
    return SlotHash.getSlot(tenant) % COUNT;
  }

  /** The hash tag of a part, such as <code>{07du}</code>. */
  public static String tag(int partition) {
    return TAGS.get(partition);
  }

  // The number and those two letters whose slot is nearest to the middle of the part's slots.
  private static String tagInTheMiddle(int partition) {
    byte[] name = {digit(partition / 10), digit(partition % 10), 0, 0};
    int middle = (2 * partition + 1) * SlotHash.SLOT_COUNT / (2 * COUNT);
    int nearest = SlotHash.SLOT_COUNT;
    String tag = "";
    for (name[2] = 'a'; name[2] <= 'z'; name[2]++) {
      for (name[3] = 'a'; name[3] <= 'z'; name[3]++) {
        int distance = Math.abs(SlotHash.getSlot(name) - middle);
        if (distance < nearest) {
          nearest = distance;
          tag = "{" + new String(name, US_ASCII) + "}";
        }
      }
    }
    return tag;
  }

  private static byte digit(int value) {
    return (byte) ('0' + value);
  }
}
