package io.weir.node.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

/** The metrics of the bound of connections. Safe for use by many threads; no method throws. */
public final class ConnectionMeters {
  private final Counter closed;
  private final Counter refused;

  ConnectionMeters(MeterRegistry registry) {
    MeterProvider<Counter> connections = Counter.builder("throttle.connections.displaced")
        .description("Connections at the bound of open connections")
        .withRegistry(registry);
    this.closed = connections.withTag("outcome", "closed");
    this.refused = connections.withTag("outcome", "refused");
  }

  /** One without an open request was closed for a new one. */
  public void closed() {
    closed.increment();
  }

  /** A new one was refused: no other could be closed. */
  public void refused() {
    refused.increment();
  }
}
