package io.weir.operators.traces;

import io.weir.node.config.NodeConfig;
import io.weir.node.room.LoopRoom;
import io.weir.node.room.NodeParts;
import io.weir.node.room.OpenRoom;
import io.weir.node.room.Room;
import io.weir.node.trace.Tracing;
import java.util.List;
import java.util.Optional;

/** How requests went: recorded as OpenTelemetry traces if the configuration names a collector. */
public final class TracesRoom implements Room {
  @Override
  public String name() {
    return "traces";
  }

  @Override
  public Optional<Tracing> tracing(NodeConfig config) {
    return config
        .reports()
        .traces()
        .map(wanted -> SentTraces.to(wanted, config.host() + ":" + config.port()));
  }

  @Override
  public OpenRoom open(NodeParts node) {
    return loop -> new LoopRoom(List.of(), List.of(), Optional.empty(), Optional.empty());
  }
}
