package io.weir.operators.traces;

import io.weir.node.config.NodeConfig;
import io.weir.node.extension.Extension;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.OpenExtension;
import io.weir.node.trace.Tracing;
import java.util.List;
import java.util.Optional;

/** How requests went: recorded as OpenTelemetry traces if the configuration names a collector. */
public final class TracesExtension implements Extension {
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
  public OpenExtension open(NodeBase node) {
    return loop -> LoopExtension.ofOperators(List.of());
  }
}
