package io.weir.node.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP metrics of a node: answers by status, their times, and connections. A meter is looked up once for each
 * status. Safe for use by many threads; no method throws.
 */
public final class HttpMeters {
  private static final int STATUSES = 600;

  private final MeterRegistry registry;
  private final AtomicReferenceArray<@Nullable Timer> answered =
      new AtomicReferenceArray<>(STATUSES);
  private final AtomicReferenceArray<@Nullable Timer> forwarded =
      new AtomicReferenceArray<>(STATUSES);
  private final LongAdder connections = new LongAdder();

  HttpMeters(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("http.server.connections", connections, LongAdder::doubleValue)
        .description("Connections of callers")
        .register(registry);
  }

  /** A caller has connected. */
  public void connected() {
    connections.increment();
  }

  /** A caller has disconnected. */
  public void disconnected() {
    connections.decrement();
  }

  /** A request was answered, in this many nanoseconds from its head on. */
  public void answered(int status, long nanos) {
    timer(answered, status, "http.server.requests", "Requests by the status of their answer")
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  /** The upstream answered; the head of its answer took this many nanoseconds. */
  public void forwarded(int status, long nanos) {
    timer(
            forwarded,
            status,
            "http.upstream.requests",
            "Forwarded requests by the upstream's status")
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(
      AtomicReferenceArray<@Nullable Timer> all, int status, String name, String description) {
    int index = status > 0 && status < STATUSES ? status : 0;
    Timer known = all.get(index);
    if (known != null) {
      return known;
    }
    Timer made = Timer.builder(name)
        .description(description)
        .tag("code", Integer.toString(index))
        .register(registry);
    all.set(index, made);
    return made;
  }
}
