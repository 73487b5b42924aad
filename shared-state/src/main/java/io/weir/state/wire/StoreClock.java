package io.weir.state.wire;

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The time by which scripts decide.
 *
 * @param modules the files of {@code lua/lib} that replace modules of the scripts, by name
 * @param arguments the last arguments of each call
 */
public record StoreClock(Map<String, String> modules, Supplier<List<String>> arguments) {
  /** Redis's own time. */
  public static final StoreClock REDIS = new StoreClock(Map.of(), List::of);

  /**
   * Another time, to rehearse traffic and for tests. Never for live traffic: it must not be mixed with Redis's own in the
   * same keys.
   *
   * @param clockMicros microseconds since the epoch, later than the present: keys expire by Redis's time
   */
  public static StoreClock of(LongSupplier clockMicros) {
    return new StoreClock(
        Map.of("now", "now_text"), () -> List.of(Long.toString(clockMicros.getAsLong())));
  }
}
