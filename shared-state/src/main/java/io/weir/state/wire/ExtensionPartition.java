package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.cluster.SlotHash;
import java.util.stream.IntStream;

/**
 * The parts of what extensions keep: records, jobs, windows, providers, answers. Their tags are older than those of
 * {@link Partition}, and stay: these things must not be lost.
 */
public final class ExtensionPartition {
  /** The number of parts, the same for every Redis: the keys are the same everywhere. */
  public static final int COUNT = 64;

  private static final int TWO_DIGITS = 10;

  private ExtensionPartition() {}

  /** All of them. */
  public static IntStream all() {
    return IntStream.range(0, COUNT);
  }

  /** The part of a thing with this name. */
  public static int of(String name) {
    return SlotHash.getSlot(name.getBytes(US_ASCII)) % COUNT;
  }

  /** The hash tag of a part, such as <code>{p07}</code>. */
  public static String tag(int partition) {
    return "{p" + (partition < TWO_DIGITS ? "0" : "") + partition + "}";
  }
}
