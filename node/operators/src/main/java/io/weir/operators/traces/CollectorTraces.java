package io.weir.operators.traces;

import io.weir.node.config.NodeConfig;
import io.weir.node.extension.Traces;
import io.weir.node.trace.Tracing;

/** How requests went: recorded as OpenTelemetry traces if the configuration names a collector. */
public final class CollectorTraces implements Traces {
  @Override
  public Tracing tracing(NodeConfig config) {
    return config
        .reports()
        .traces()
        .<Tracing>map(
            wanted -> SentTraces.to(wanted, config.listening().callers().toString()))
        .orElse(Tracing.NONE);
  }
}
