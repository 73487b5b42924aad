package io.weir.state.lane;

import io.weir.state.wire.Lane;
import java.util.Map;

/** The lanes of a part. */
record LaneSet(Lane rates, Lane kinds, Lane joined, Lane peek) {
  static LaneSet of(Map<String, String> includes) {
    return new LaneSet(
        Lane.rates(includes), Lane.kinds(includes), Lane.joined(includes), Lane.peek(includes));
  }
}
