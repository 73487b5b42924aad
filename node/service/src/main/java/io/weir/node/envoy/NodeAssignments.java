package io.weir.node.envoy;

import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.metrics.AssignmentMeters;
import io.weir.state.assignment.RedisAssignments;
import java.util.Optional;

/**
 * The divided limits, as all streams of a node use them.
 *
 * @param streams bounds the streams
 * @param buckets bounds the bytes of their buckets
 */
public record NodeAssignments(
    RedisAssignments shared, Bulkhead streams, Bulkhead buckets, AssignmentMeters meters) {

  /** Takes the place of a stream of a client; empty, and counted as refused, if there is none. */
  Optional<Portion> tryOpen(EnvoyClient client) {
    Optional<Portion> opened = streams.tryTake(client.name(), client.network(), 1);
    if (opened.isEmpty()) {
      meters.refusedStream();
    }
    return opened;
  }
}
