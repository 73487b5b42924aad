package io.weir.state.lane;

import io.weir.state.wire.Lane;
import java.util.Map;

/** The four lanes of a part. */
record LaneSet(Lane fast, Lane take, Lane queue, Lane peek) {
  static LaneSet of(Map<String, String> includes) {
    return new LaneSet(
        Lane.fast(includes), Lane.take(includes), Lane.queue(includes), Lane.peek(includes));
  }
}
