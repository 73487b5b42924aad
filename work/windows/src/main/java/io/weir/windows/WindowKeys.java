package io.weir.windows;

import io.weir.state.wire.RedisKeys;
import java.util.List;

/** The keys of windows in Redis. */
final class WindowKeys {
  private WindowKeys() {}

  /** The keys of a window, in the order of {@code window_open.lua}. */
  static List<String> of(String name) {
    String window = RedisKeys.ofExtension("window", name);
    return List.of(
        window,
        window + ":ranges",
        window + ":notes",
        window + ":todo",
        window + ":times",
        window + ":ended");
  }
}
